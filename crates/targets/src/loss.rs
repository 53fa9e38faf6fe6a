//! Losses: the parts of a plan or spec that an output format cannot express.

sky_accel_core::words! {
    /// The part of a plan or spec that a target or dialect cannot express.
    pub enum LossCode {
        /// Some of the accelerators that the spec covers.
        Accelerator = "accelerator",
        /// The memory of the accelerator.
        Memory = "memory",
        /// The form factor or another property of the accelerator.
        Form = "form",
        /// The name of the accelerator or of the job.
        Name = "name",
        /// The number of accelerators.
        Count = "count",
        /// The MIG slices.
        Mig = "mig",
        /// The order of the candidates.
        Order = "order",
        /// The candidates after the first.
        Fallback = "fallback",
        /// The provider.
        Provider = "provider",
        /// The region.
        Region = "region",
        /// Spot capacity.
        Spot = "spot",
        /// A reservation or a capacity block.
        Capacity = "capacity",
        /// The price limit.
        MaxPrice = "max_price",
        /// The number of machines.
        Nodes = "nodes",
        /// The link between accelerators or machines.
        Interconnect = "interconnect",
        /// The smallest host.
        Host = "host",
        /// The CUDA version.
        CudaMin = "cuda_min",
        /// The image.
        Image = "image",
        /// The command.
        Command = "command",
        /// The disk.
        Disk = "disk",
    }
}

/// A part of a plan or spec that a target or dialect cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The lost part.
    pub code: LossCode,
    /// The explanation for people: a lowercase sentence without a period.
    pub message: String,
}
