//! The checks of a candidate.

use std::fmt;

use super::candidate::{Candidate, Check, CheckId, CheckState, Needs};
use super::request::Request;
use crate::catalog::{Accelerator, CapacityType, Catalog, SdkKind, compare_versions};
use crate::money::Count;
use crate::resolve::StockClass;

pub(super) fn checks(
    catalog: &Catalog<'_>,
    request: &Request,
    candidate: &Candidate,
) -> Vec<Check> {
    let quota = quota(catalog, request, candidate);
    let cuda = request.cuda.as_ref().map(|cuda| Check {
        id: CheckId::Cuda,
        // The device supports the version, but offers do not state the driver of the host.
        state: CheckState::Unknown,
        needs: Some(Needs::Driver {
            cuda: cuda.clone(),
            driver_min: catalog
                .cuda_release(cuda)
                .map(|release| catalog.str(release.driver_min).to_owned()),
        }),
    });
    let stock = Check {
        id: CheckId::Stock,
        state: match candidate.outlook.stock {
            StockClass::Available | StockClass::Limited => CheckState::Pass,
            StockClass::Out => CheckState::Fail,
            StockClass::Unknown => CheckState::Unknown,
        },
        needs: None,
    };
    std::iter::once(quota).chain(cuda).chain([stock]).collect()
}

fn quota(catalog: &Catalog<'_>, request: &Request, candidate: &Candidate) -> Check {
    let offer = catalog.offer(candidate.found.offer);
    let pool = catalog.quota_of(offer.provider, catalog.str(offer.id));
    let vcpu = candidate.found.vcpu(catalog);
    let needs = pool.zip(vcpu).map(|(pool, vcpu)| Needs::Quota {
        code: catalog
            .str(match candidate.capacity {
                CapacityType::OnDemand => pool.on_demand,
                CapacityType::Spot => pool.spot,
            })
            .to_owned(),
        vcpu: (vcpu * Count::whole(request.nodes).decimal()).round() as u64,
    });
    let state = match candidate.outlook.quota {
        None => CheckState::Unknown,
        Some(true) => CheckState::Pass,
        Some(false) => CheckState::Fail,
    };
    Check {
        id: CheckId::Quota,
        state,
        needs,
    }
}

/// The reason why programs of a CUDA version cannot run on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CudaMismatch {
    /// The device has no CUDA.
    NoCuda,
    /// The image's version `cuda` is older than `min`, the first that supports the device.
    TooOld {
        /// The CUDA version of the image.
        cuda: String,
        /// The first version that supports the device.
        min: String,
    },
    /// The image's version `cuda` is newer than `last`, the last that supports the device.
    TooNew {
        /// The CUDA version of the image.
        cuda: String,
        /// The last version that supports the device.
        last: String,
    },
}

impl fmt::Display for CudaMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCuda => f.write_str("is not a CUDA device"),
            Self::TooOld { cuda, min } => write!(f, "needs CUDA {min}, the image has {cuda}"),
            Self::TooNew { cuda, last } => {
                write!(f, "is supported up to CUDA {last}, the image has {cuda}")
            }
        }
    }
}

impl std::error::Error for CudaMismatch {}

/// Checks that programs of a CUDA version can run on a device.
pub(super) fn cuda_runs(
    catalog: &Catalog<'_>,
    accelerator: &Accelerator,
    cuda: &str,
) -> Result<(), CudaMismatch> {
    if catalog.sdk_kind(accelerator) != Some(SdkKind::Cuda) {
        return Err(CudaMismatch::NoCuda);
    }
    if let Some(min) = catalog.text(accelerator.cuda_min)
        && compare_versions(cuda, min).is_lt()
    {
        let (cuda, min) = (cuda.to_owned(), min.to_owned());
        return Err(CudaMismatch::TooOld { cuda, min });
    }
    if let Some(last) = catalog.text(accelerator.cuda_last)
        && compare_versions(cuda, last).is_gt()
    {
        let (cuda, last) = (cuda.to_owned(), last.to_owned());
        return Err(CudaMismatch::TooNew { cuda, last });
    }
    Ok(())
}
