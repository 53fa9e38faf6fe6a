//! Machine images of EC2.

use std::fmt;

/// The start of an AMI id.
const AMI: &str = "ami-";
/// The start of a reference that EC2 resolves through the SSM parameter store at launch.
const SSM_PARAMETER: &str = "resolve:ssm:";

/// A machine image of EC2, in contrast to a container image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineImage<'a> {
    /// The id of an AMI, such as `ami-0123456789abcdef0`; it is valid in one region.
    Ami(&'a str),
    /// The name of an SSM parameter that holds an AMI id, without `resolve:ssm:`. It is valid in
    /// every region.
    SsmParameter(&'a str),
}

impl<'a> MachineImage<'a> {
    /// Parses an image reference. Returns `None` for the name of a container image.
    #[must_use]
    pub fn parse(image: &'a str) -> Option<Self> {
        if image.starts_with(AMI) {
            return Some(Self::Ami(image));
        }
        image.strip_prefix(SSM_PARAMETER).map(Self::SsmParameter)
    }
}

/// Formats the image as `run-instances --image-id` and launch templates take it.
impl fmt::Display for MachineImage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ami(id) => f.write_str(id),
            Self::SsmParameter(name) => write!(f, "{SSM_PARAMETER}{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_machine_images_and_prints_them_unchanged() {
        let ami = "ami-0123456789abcdef0";
        let parameter = "resolve:ssm:/aws/service/ami";
        assert_eq!(MachineImage::parse(ami), Some(MachineImage::Ami(ami)));
        assert_eq!(
            MachineImage::parse(parameter),
            Some(MachineImage::SsmParameter("/aws/service/ami"))
        );
        for image in [ami, parameter] {
            let parsed = MachineImage::parse(image).map(|image| image.to_string());
            assert_eq!(parsed.as_deref(), Some(image));
        }
    }

    #[test]
    fn container_images_are_not_machine_images() {
        for image in ["python:3.12", "nvcr.io/nvidia/ami-x", "ssm:/x", "", "AMI-1"] {
            assert_eq!(MachineImage::parse(image), None, "{image}");
        }
    }
}
