//! The words of `recommend` in requests and answers.

sky_accel_core::words! {
    /// The figure that recommendations are ranked by.
    #[derive(Default)]
    pub enum Objective {
        /// The lowest cost of the work.
        #[default]
        Cost = "cost",
        /// The highest total tokens per second.
        Speed = "speed",
        /// The highest tokens per second of each user.
        Latency = "latency",
        /// The lowest total memory of the devices.
        Memory = "memory",
    }
}

sky_accel_core::words! {
    /// The unit of work whose price ranks machines.
    pub enum Basis {
        /// An hour of the machine, if the amount of work is unknown.
        Hour = "hour",
        /// A million tokens, generated or trained on.
        MillionTokens = "million-tokens",
        /// All tokens of the request.
        Job = "job",
    }
}

sky_accel_core::words! {
    /// The reliability of a machine's price and kind.
    pub enum Tier {
        /// A machine of the provider, at a list price that it published on a known day.
        List = "list",
        /// A machine of a private host, at the lowest price of a snapshot.
        Marketplace = "marketplace",
        /// A consumer card in a data center.
        Consumer = "consumer",
        /// A price without a date, more than a year old, or not from a price list; or training in fp16 of a model in
        /// bf16.
        Weak = "weak",
    }
}

sky_accel_core::words! {
    /// The rank of machines of lower tiers.
    #[derive(Default)]
    pub enum TierOrder {
        /// Below all machines with list prices.
        #[default]
        List = "list",
        /// Together with machines with list prices.
        Any = "any",
    }
}

sky_accel_core::words! {
    /// The reason for a pick.
    pub enum PickKind {
        /// The lowest total of a job; for other work, the lowest price per hour.
        Cheapest = "cheapest",
        /// The most work for the money: the lowest cost of the requested work, or for a job the soonest end near the
        /// lowest total. It never assumes more users than were asked for.
        Value = "value",
        /// One device or machine with memory to spare, at a list price that its provider published on a known day, and
        /// not much more expensive than the first.
        Safest = "safest",
        /// The highest tokens per second, in total or per user: if machines are ranked by it, or near the price of the
        /// first.
        Fastest = "fastest",
        /// The cheapest machine of another provider, near the price of the first.
        Alternative = "alternative",
    }
}

sky_accel_core::words! {
    /// A limit that can be relaxed, by the name of its flag.
    pub enum LimitKind {
        /// The maximum time to first token.
        MaxTtft = "max-ttft",
        /// The minimum output tokens per second of each user.
        MinSpeed = "min-speed",
        /// Requests per second.
        RequestRate = "request-rate",
        /// The users at once.
        Users = "users",
        /// The maximum US dollars per hour.
        MaxPrice = "max-price",
        /// The maximum hours for all tokens.
        Deadline = "deadline",
        /// The maximum US dollars for all tokens, or for the hours.
        Budget = "budget",
        /// The regions.
        Region = "region",
        /// The providers.
        Provider = "provider",
        /// The hardware.
        On = "on",
        /// The number of machines.
        Nodes = "nodes",
        /// The maximum age of prices.
        MaxAge = "max-age",
        /// The software that runs the model.
        Engine = "engine",
        /// The format of the weights.
        Precision = "precision",
    }
}

sky_accel_core::words! {
    /// The alternatives to renting machines.
    pub enum ComparedWith {
        /// APIs that sell the same model by the token, image or hour of audio.
        Api = "api",
    }
}

sky_accel_core::words! {
    /// A way to run a model.
    pub enum WayToRun {
        /// By the API of a seller.
        Api = "api",
        /// On a rented machine.
        Machine = "machine",
        /// On a machine that the user owns.
        Own = "own",
    }
}
