//! Sizing a model with one engine on one kind of device.

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::Chip;
use sky_accel_core::sizing::{
    Calibration, Device, Engine, GIB, GivenLayout, Indivisible, Layout, Memory, Run, Speed,
    Workload, layouts, memory, speed,
};

use super::request::ModelRun;

/// The memory and the speed of a model on some devices with one layout.
///
/// `low`, `high` and `usable` are bytes on each device; `usable` is `None` where the memory of the
/// device is unknown.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub layout: Layout,
    pub memory: Memory,
    pub low: f64,
    pub high: f64,
    pub usable: Option<f64>,
    pub speed: Speed,
}

impl Fitted {
    pub fn fits(&self) -> Option<bool> {
        self.usable.map(|usable| self.high <= usable)
    }
}

/// A part of a device that is used like a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Bytes, where they are known.
    pub memory: Option<f64>,
    /// Shares of the operations and of the bandwidth.
    pub compute: f64,
    pub bandwidth: f64,
}

impl Part {
    /// A MIG slice.
    pub fn slice(chip: &Chip<'_>, kind: usize) -> Self {
        let profile = chip.kinds[kind].profile;
        let compute = f64::from(profile.compute_slices) / f64::from(chip.compute.max(1));
        let units = chip.units.zip(profile.size);
        Self {
            memory: profile.memory_mib.map(|mib| f64::from(mib) * GIB / 1024.0),
            compute,
            bandwidth: units.map_or(compute, |(units, size)| f64::from(size) / f64::from(units)),
        }
    }

    /// A fraction, with the memory that its provider reports.
    pub fn fraction(
        catalog: &Catalog<'_>,
        id: AcceleratorId,
        share: f64,
        mib: Option<f64>,
    ) -> Self {
        let whole = Device::of(catalog, id, Engine::None).memory;
        let memory = mib.map(|mib| mib * GIB / 1024.0);
        Self {
            memory: memory.or(whole.map(|whole| whole * share)),
            compute: share,
            bandwidth: share,
        }
    }
}

/// The measurements of a kind of work: coefficients, and how far from the sum memory is at least and
/// at most, as factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub coefficients: Calibration,
    low: f64,
    high: f64,
}

impl Measured {
    pub fn of(catalog: &Catalog<'_>, workload: Workload) -> Self {
        let factor = |name: &str| {
            let scope = workload.word();
            catalog.coefficient(name, scope).unwrap_or(1.0)
        };
        Self {
            coefficients: Calibration::of(catalog, workload),
            low: factor("band-low"),
            high: factor("band-high"),
        }
    }
}

/// Sizing with one engine on one kind of device.
pub struct Sizer {
    pub device: Device,
    /// Parts of one device do not reach each other: each holds a whole model.
    is_part: bool,
}

impl Sizer {
    pub fn new(catalog: &Catalog<'_>, accelerator: AcceleratorId, run: &Run) -> Self {
        Self {
            device: Device::of(catalog, accelerator, run.engine),
            is_part: false,
        }
    }

    /// On a part of a device: a slice, or a fraction that is rented.
    #[must_use]
    pub fn part(self, part: &Part) -> Self {
        Self {
            device: self.device.part(part.memory, part.compute, part.bandwidth),
            is_part: true,
        }
    }

    /// The memory of a device that an engine may use.
    fn usable(&self, run: &Run) -> Option<f64> {
        let memory = self.device.memory?;
        Some(if run.engine.serves() && !run.workload.is_training() {
            memory * run.gpu_memory_utilization
        } else {
            memory
        })
    }

    pub fn fitted(&self, work: &ModelRun, run: &Run, layout: &Layout) -> Fitted {
        let shape = &work.model.shape;
        let known = &work.measured;
        let memory = memory(shape, run, layout, &known.coefficients);
        let band = work.model.size_band;
        Fitted {
            layout: *layout,
            low: memory.allocated * known.low * (1.0 - band),
            high: memory.device * known.high * (1.0 + band),
            usable: self.usable(run),
            speed: speed(shape, run, layout, &self.device, &known.coefficients),
            memory,
        }
    }

    /// The layouts that are possible, those to prefer first.
    pub fn layouts(&self, work: &ModelRun, devices: u32) -> Result<Vec<Layout>, Indivisible> {
        let given = if self.is_part {
            GivenLayout {
                tensor: work.given.tensor.or(Some(1)),
                pipeline: work.given.pipeline.or(Some(1)),
                ..work.given
            }
        } else {
            work.given
        };
        let layouts = layouts(&work.model.shape, &work.run, &given, devices)?;
        let joined = |layout: &Layout| layout.tensor > 1 || layout.pipeline > 1;
        if self.is_part && layouts.iter().any(joined) {
            return Err(Indivisible::Devices { needed: 1, devices });
        }
        Ok(layouts)
    }

    /// The layout to take: of those that fit the fastest in training and the first one in
    /// inference; where none fits, the one that needs least.
    pub fn best(&self, work: &ModelRun, devices: u32) -> Result<Fitted, Indivisible> {
        let layouts = self.layouts(work, devices)?;
        let mut fastest: Option<Fitted> = None;
        let mut least: Option<Fitted> = None;
        for layout in &layouts {
            let fitted = self.fitted(work, &work.run, layout);
            if fitted.fits() == Some(false) {
                if least.as_ref().is_none_or(|least| fitted.high < least.high) {
                    least = Some(fitted);
                }
                continue;
            }
            if !work.run.workload.is_training() {
                return Ok(fitted);
            }
            if fastest
                .as_ref()
                .is_none_or(|best| fitted.speed.train > best.speed.train)
            {
                fastest = Some(fitted);
            }
        }
        fastest.or(least).ok_or(Indivisible::Devices {
            needed: devices,
            devices,
        })
    }

    /// The most sequences that fit, up to a number.
    pub fn largest_batch(&self, work: &ModelRun, layout: &Layout, most: f64) -> Option<f64> {
        let run = &work.run;
        self.largest(work, layout, most, |batch| Run { batch, ..*run })
    }

    /// The largest whole number that still fits.
    pub fn largest(
        &self,
        work: &ModelRun,
        layout: &Layout,
        most: f64,
        with: impl Fn(f64) -> Run,
    ) -> Option<f64> {
        if most < 1.0 {
            return None;
        }
        let fits = |n: f64| self.fitted(work, &with(n), layout).fits();
        if fits(1.0)? {
            let (mut low, mut high) = (1.0, most);
            if fits(high)? {
                return Some(high);
            }
            while high - low > 1.0 {
                let middle = f64::midpoint(low, high).floor();
                if fits(middle)? {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Some(low)
        } else {
            None
        }
    }
}
