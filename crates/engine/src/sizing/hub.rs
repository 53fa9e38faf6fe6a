//! Models of a hub, named `organization/name` or `hf:organization/name`.

use sky_accel_live::{ErrorKind, HubFiles, Progress, Session, is_hub_name};

use super::model_folders::ModelFolders;
use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// Downloads the configurations of models from a hub, and limits the files that are read as models.
#[derive(Clone, Copy)]
pub struct ModelHub<'s> {
    /// The session with the hub; idle until a request names a model of the hub.
    pub session: &'s Session,
    /// True to fail instead of using the network.
    pub offline: bool,
    /// False if the request allows no download.
    pub is_live: bool,
    /// The folders with the files of models; `None` for all files that the process can read.
    pub folders: Option<&'s ModelFolders>,
    /// Called with the progress of each download.
    pub progress: &'s dyn Fn(Progress<'_>),
}

impl ModelHub<'_> {
    /// Downloads the small files of a model.
    pub(super) fn files(&self, model: &str) -> Result<HubFiles> {
        if self.offline {
            let message = format!("{model} cannot be downloaded with `offline`");
            let error = Error::new(ErrorCode::Provider(ErrorKind::NotCached), message);
            return Err(if is_hub_name(model) {
                error.advise(format!(
                    "with a network, `sky-accel models add {model} --live` keeps its configuration for use without a network"
                ))
            } else {
                error
            });
        }
        Ok(self.session.hub_files(model, self.progress)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offline_hub_names_the_model_and_the_option() {
        let hub = ModelHub {
            session: &Session::new(),
            offline: true,
            is_live: true,
            folders: None,
            progress: &|_| {},
        };
        let problem = &hub.files("org/model").unwrap_err().problems[0];
        assert_eq!(problem.code, ErrorCode::Provider(ErrorKind::NotCached));
        assert_eq!(
            problem.message,
            "org/model cannot be downloaded with `offline`"
        );
    }
}
