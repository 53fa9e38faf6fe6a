//! Servers: the arrangement of a job that answers requests, in contrast to a job that ends.

use sky_accel_core::sizing::{Layout, ServingEngine};

/// The variable with the token that downloads models whose license has to be accepted. It is optional for others.
pub(crate) const MODEL_TOKEN: &str = "HF_TOKEN";

/// Shell expressions with which each of several machines finds its number and machine 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rendezvous {
    /// The number of the machine, from 0.
    pub rank: &'static str,
    /// The address of machine 0; `None` if the target only numbers its machines.
    pub address: Option<&'static str>,
}

/// How a target runs servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// In pods, of which a machine may have several. The variables are for the pods of one server on several machines.
    Pods(Rendezvous),
    /// One server on each machine, or on several machines each, behind one address.
    Groups,
    /// One server on each machine, behind one address.
    Machines,
}

/// The address of a server inside its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The port.
    pub port: u16,
    /// The path that answers with 200 as soon as the model is loaded.
    pub health: &'static str,
    /// The options that make the server reachable from other machines; empty if it is by default.
    pub listen: &'static str,
}

impl Endpoint {
    /// Returns the address of a server that the command of an engine starts; `None` if the engine has none.
    pub fn of(engine: ServingEngine) -> Option<Self> {
        let (port, listen) = match engine {
            ServingEngine::Vllm => (8000, ""),
            ServingEngine::Sglang => (30_000, "--host 0.0.0.0"),
            ServingEngine::TensorRtLlm => (8000, "--host 0.0.0.0"),
            ServingEngine::LlamaCpp => (8080, "--host 0.0.0.0"),
            _ => return None,
        };
        Some(Self {
            port,
            health: "/health",
            listen,
        })
    }
}

/// Equal servers behind one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Servers {
    /// The address of each.
    pub endpoint: Endpoint,
    /// The number of servers.
    pub replicas: u32,
    /// The number of machines of one server.
    pub machines: u32,
    /// The number of devices of one server on each of its machines.
    pub devices: u32,
}

impl Servers {
    /// Splits a layout over machines into servers and the layout of one of them. Replicas of the model become servers
    /// where each has devices of one machine, or whole machines: then a load balancer can place requests and replace a
    /// failed server.
    pub fn split(
        endpoint: Endpoint,
        layout: &Layout,
        machines: u32,
        serving: Serving,
        is_mixture: bool,
    ) -> (Self, Layout) {
        let machines = machines.max(1);
        let mut one = *layout;
        let mut server = Self {
            endpoint,
            replicas: 1,
            machines,
            devices: layout.devices() / machines,
        };
        // Data-parallel ranks that share the experts are parts of one server, on one machine if it has all of the
        // experts.
        let shares_experts = layout.expert > layout.tensor;
        if shares_experts {
            let is_within = layout.expert <= server.devices && layout.data.is_multiple_of(machines);
            if machines > 1 && is_within {
                one.data = layout.data / machines;
                server.replicas = machines;
                server.machines = 1;
            }
            return (server, one);
        }
        let replica = (layout.devices() / layout.data.max(1)).max(1);
        let fits = server.devices.is_multiple_of(replica);
        // A replica on several whole machines is a server on them.
        let has_groups = serving != Serving::Machines;
        if has_groups && replica > server.devices && replica.is_multiple_of(server.devices.max(1)) {
            one.data = 1;
            server.replicas = layout.data;
            server.machines = replica / server.devices;
        }
        if machines > 1 && fits && layout.data.is_multiple_of(machines) {
            one.data = layout.data / machines;
            server.replicas = machines;
            server.machines = 1;
        }
        // A machine runs the replicas of a mixture as servers on several ports, of which a pod has only one.
        let is_pod = matches!(serving, Serving::Pods(_));
        if is_pod && is_mixture && server.machines == 1 && one.data > 1 {
            server.replicas *= one.data;
            server.devices = replica;
            one.data = 1;
        }
        one.shard_groups = 1;
        (server, one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PODS: Serving = Serving::Pods(Rendezvous {
        rank: "0",
        address: None,
    });

    fn layout(tensor: u32, pipeline: u32, data: u32, expert: u32) -> Layout {
        Layout {
            tensor,
            pipeline,
            data,
            expert,
            ..Layout::default()
        }
    }

    /// Replicas, machines and devices of a server, and the data-parallel ranks in it.
    fn split(layout: Layout, machines: u32, serving: Serving, is_mixture: bool) -> [u32; 4] {
        let endpoint = Endpoint::of(ServingEngine::Vllm).unwrap();
        let (server, one) = Servers::split(endpoint, &layout, machines, serving, is_mixture);
        assert_eq!(one.devices(), server.devices * server.machines);
        let all = server.replicas * server.machines * server.devices;
        assert_eq!(all, layout.devices());
        [server.replicas, server.machines, server.devices, one.data]
    }

    #[test]
    fn replicas_on_machines_are_servers() {
        for serving in [PODS, Serving::Groups, Serving::Machines] {
            assert_eq!(split(layout(4, 1, 1, 1), 1, serving, false), [1, 1, 4, 1]);
            assert_eq!(split(layout(2, 1, 16, 1), 4, serving, false), [4, 1, 8, 4]);
            // One server needs both machines.
            assert_eq!(split(layout(8, 2, 1, 1), 2, serving, false), [1, 2, 8, 1]);
            assert_eq!(split(layout(1, 1, 16, 16), 2, serving, true), [1, 2, 8, 16]);
            // Each machine has all experts.
            assert_eq!(split(layout(1, 1, 16, 8), 2, serving, true), [2, 1, 8, 8]);
        }
    }

    #[test]
    fn replicas_on_several_machines_are_groups_where_the_target_has_them() {
        let replicas = layout(8, 3, 2, 1);
        for serving in [PODS, Serving::Groups] {
            assert_eq!(split(replicas, 6, serving, true), [2, 3, 8, 1]);
        }
        assert_eq!(split(replicas, 6, Serving::Machines, true), [1, 6, 8, 2]);
    }

    #[test]
    fn pods_have_one_server_of_a_mixture() {
        assert_eq!(split(layout(2, 1, 4, 1), 1, PODS, true), [4, 1, 2, 1]);
        assert_eq!(split(layout(4, 1, 4, 4), 2, PODS, true), [4, 1, 4, 1]);
        let machines = split(layout(2, 1, 4, 1), 1, Serving::Machines, true);
        assert_eq!(machines, [1, 1, 8, 4]);
    }
}
