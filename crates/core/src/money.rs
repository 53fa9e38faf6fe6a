//! US dollars in whole millionths, so that prices compare exactly.

/// US dollars, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(pub u64);

impl Usd {
    /// Converts a decimal amount in US dollars; `None` when it is negative, not a number or
    /// absurdly large.
    pub fn from_decimal(amount: f64) -> Option<Self> {
        (amount.is_finite() && (0.0..1e12).contains(&amount))
            .then(|| Self((amount * 1e6).round() as u64))
    }

    /// Returns the amount as a decimal number of US dollars.
    pub fn decimal(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the price of `count` accelerators at this price for one, rounded up to a millionth.
    #[must_use]
    pub fn times(self, count: Count) -> Self {
        // 128-bit arithmetic is ten times slower, and only huge amounts need it.
        Self(match self.0.checked_mul(count.0.into()) {
            Some(product) => product.div_ceil(1000),
            None => (u128::from(self.0) * u128::from(count.0))
                .div_ceil(1000)
                .min(u64::MAX.into()) as u64,
        })
    }

    /// Returns the cost of a number of hours at this price for one; `None` on overflow.
    pub fn for_hours(self, hours: f64) -> Option<Self> {
        Self::from_decimal(self.decimal() * hours)
    }

    /// Returns the price of one accelerator when this buys `count` of them, to the nearest
    /// millionth.
    #[must_use]
    pub fn per(self, count: Count) -> Self {
        let count = count.0.max(1);
        self.split(count, count / 2)
    }

    /// Returns the price of one accelerator when this buys `count` of them, rounded down to a
    /// millionth.
    #[must_use]
    pub fn shared(self, count: Count) -> Self {
        self.split(count.0.max(1), 0)
    }

    /// Returns the price of 1000 of `thousandths`, with `rounding` of them added before the division.
    fn split(self, thousandths: u32, rounding: u32) -> Self {
        // 128-bit arithmetic is ten times slower, and only huge amounts need it.
        let product = self.0.checked_mul(1000);
        Self(
            match product.and_then(|product| product.checked_add(rounding.into())) {
                Some(sum) => sum / u64::from(thousandths),
                None => ((u128::from(self.0) * 1000 + u128::from(rounding))
                    / u128::from(thousandths))
                .min(u64::MAX.into()) as u64,
            },
        )
    }
}

/// A number of accelerators, in thousandths: providers sell fractions of a GPU too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(pub u32);

impl Count {
    /// One accelerator.
    pub const ONE: Self = Self(1000);
    /// The largest count that a spec may ask for.
    pub const MAX: Self = Self(1_000_000_000);

    /// Converts a whole number of accelerators.
    pub const fn whole(count: u32) -> Self {
        Self(count.saturating_mul(1000))
    }

    /// Converts a decimal number; `None` when it is not positive or too large.
    pub fn from_decimal(count: f64) -> Option<Self> {
        let thousandths = (count * 1000.0).round();
        (thousandths >= 1.0 && thousandths <= f64::from(Self::MAX.0))
            .then_some(Self(thousandths as u32))
    }

    /// Returns the count as a decimal number.
    pub fn decimal(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// Returns the number of whole accelerators; a fraction is left out, so 7.5 has 7 and an eighth
    /// has none.
    pub const fn whole_devices(self) -> u32 {
        self.0 / 1000
    }

    /// Returns whether it is a whole number.
    pub fn is_whole(self) -> bool {
        self.0.is_multiple_of(1000)
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::text::number(self.decimal()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_keep_six_places() {
        let price = Usd::from_decimal(21.957_642).unwrap();
        assert_eq!(price, Usd(21_957_642));
        assert_eq!(price.decimal().to_string(), "21.957642");
        assert_eq!(
            Usd::from_decimal(55.04)
                .unwrap()
                .per(Count::whole(8))
                .decimal()
                .to_string(),
            "6.88"
        );
        assert_eq!(
            Usd::from_decimal(0.202)
                .unwrap()
                .per(Count(125))
                .decimal()
                .to_string(),
            "1.616"
        );
        assert_eq!(
            Usd::from_decimal(3.29)
                .unwrap()
                .times(Count::whole(3))
                .decimal()
                .to_string(),
            "9.87"
        );
        // Beyond 64 bits too, and up to the largest amount.
        assert_eq!(Usd(1 << 61).times(Count::whole(4)), Usd(1 << 63));
        assert_eq!(Usd(u64::MAX).times(Count::whole(4)), Usd(u64::MAX));
        assert_eq!(Usd(1).times(Count(1)), Usd(1));
        assert_eq!(Usd(1 << 62).per(Count::whole(4)), Usd(1 << 60));
        assert_eq!(Usd(u64::MAX).per(Count(1)), Usd(u64::MAX));
        let halved = (Usd(5).per(Count::whole(2)), Usd(5).shared(Count::whole(2)));
        assert_eq!(halved, (Usd(3), Usd(2)));
        assert_eq!(Usd::from_decimal(f64::NAN), None);
        assert_eq!(Usd::from_decimal(-1.0), None);
    }

    #[test]
    fn counts_are_positive_and_bounded() {
        assert_eq!(Count::from_decimal(0.125), Some(Count(125)));
        assert_eq!(Count::from_decimal(0.0), None);
        assert_eq!(Count::from_decimal(1e9), None);
        assert_eq!(Count::whole(8).to_string(), "8");
        assert_eq!(Count(125).to_string(), "0.125");
    }

    #[test]
    fn whole_devices_drop_fractions() {
        assert_eq!(Count::whole(8).whole_devices(), 8);
        assert_eq!(Count(7500).whole_devices(), 7);
        assert_eq!(Count(125).whole_devices(), 0);
    }
}
