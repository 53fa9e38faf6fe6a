//! Names of resources.

use serde_json::{Value, json};

use crate::write;

/// The annotation for a name that is not a valid name of a resource.
const NAME_ANNOTATION: &str = "sky-accel/name";

/// Returns the metadata of a resource. A name that is not a valid resource name is kept in an
/// annotation.
pub(super) fn metadata(name: &str) -> Value {
    let slug = write::slug(name, 50);
    if slug == name {
        return json!({ "name": slug });
    }
    json!({ "name": slug, "annotations": { NAME_ANNOTATION: name } })
}
