//! Models of a hub, for requests whose model is `hf:organisation/name`.

use sky_accel_live::{ErrorKind, HubFiles, Progress, Session};

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// Reads models from a hub.
#[derive(Clone, Copy)]
pub struct ModelHub<'s> {
    /// Asks the hub; it starts nothing before a model of a hub is named.
    pub session: &'s Session,
    /// True if network access is forbidden: naming a model of a hub is then an error.
    pub offline: bool,
    /// Called for each request to the hub.
    pub progress: &'s dyn Fn(Progress<'_>),
}

impl ModelHub<'_> {
    /// The files of a model.
    pub(super) fn files(&self, model: &str) -> Result<HubFiles> {
        if self.offline {
            let message = format!("--offline: {model} is not read from its hub");
            return Err(Error::new(
                ErrorCode::Provider(ErrorKind::NotCached),
                message,
            ));
        }
        Ok(self.session.hub_files(model, self.progress)?)
    }
}
