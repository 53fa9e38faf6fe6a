//! `quota`: the quotas of accounts, and how to raise them.

use crate::support::sky_line;

#[test]
fn only_providers_with_quotas_are_asked() {
    for line in [
        "quota H100:x8 --offline",
        "quota H100:x8 --provider runpod",
        "quota H10",
    ] {
        let run = sky_line(line).run().expect_code(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{line}");
    }
}

#[cfg(feature = "aws")]
mod aws {
    use serde_json::Value;
    use sky_accel_standin::{Fault, Service};

    use super::super::Market;
    use crate::support::{sky_line, validate};

    const LINE: &str = "quota H100:x8 --provider aws --region us-east-1";

    fn rows(text: &str) -> Vec<Value> {
        let answer: Value = serde_json::from_str(text).unwrap();
        validate("quota", &answer);
        answer["results"].as_array().unwrap().clone()
    }

    fn row<'a>(rows: &'a [Value], capacity: &str) -> &'a Value {
        let row = rows.iter().find(|row| row["capacity_type"] == capacity);
        row.unwrap_or_else(|| panic!("{capacity}: {rows:?}"))
    }

    #[test]
    fn quotas_say_how_many_machines_fit_and_how_to_raise_them() {
        let world = Market::new();
        let run = world.sky(&format!("{LINE} -o json")).run().expect_code(0);
        let one = rows(&run.stdout);
        let on_demand = row(&one, "on-demand");
        assert_eq!(
            (&on_demand["limit"], &on_demand["unit"]),
            (&192.into(), &"vcpus".into())
        );
        assert_eq!(
            (&on_demand["admits"], &on_demand["machines_left"]),
            (&true.into(), &1.into())
        );
        assert_eq!(on_demand["raise"], Value::Null);
        let spot = row(&one, "spot");
        assert_eq!(spot["admits"], false);
        let command = spot["raise"]["command"].as_str().unwrap();
        assert!(
            command.starts_with("aws service-quotas request-service-quota-increase"),
            "{command}"
        );
        assert!(
            command.ends_with("--desired-value 192 --region us-east-1"),
            "{command}"
        );
        let run = world
            .sky(&format!("{LINE} --nodes 4 -o json"))
            .run()
            .expect_code(1);
        let four = rows(&run.stdout);
        let on_demand = row(&four, "on-demand");
        let used = on_demand["used"].as_f64().unwrap_or(0.0);
        assert_eq!(
            on_demand["raise"]["limit"].as_f64(),
            Some((used + 768.0).ceil())
        );
        let table = world
            .sky(&format!("{LINE} --nodes 4 -o wide"))
            .run()
            .expect_code(1);
        assert!(
            table.stdout.contains("To raise a quota"),
            "{}",
            table.stdout
        );
    }

    #[test]
    fn a_missing_key_is_named_also_if_no_server_is_reachable() {
        let folder = tempfile::tempdir().unwrap();
        for (provider, variable) in [
            ("aws", "AWS_SECRET_ACCESS_KEY"),
            ("azure", "AZURE_CLIENT_SECRET"),
            ("oci", "OCI_CLI_KEY_CONTENT"),
        ] {
            let line = format!("quota H100:x8 --provider {provider} -o json");
            let mut run = sky_line(&line)
                .env("XDG_CACHE_HOME", folder.path())
                .env("AWS_EC2_METADATA_DISABLED", "true");
            for name in ["AWS", "AZURE", "OCI"] {
                let nowhere = "http://127.0.0.1:1";
                run = run.env(&format!("SKY_ACCEL_URL_{name}"), nowhere);
            }
            let run = run.run().expect_code(3);
            assert!(run.stdout.is_empty(), "{}", run.stdout);
            assert!(run.stderr.contains(variable), "{}", run.stderr);
            assert!(run.stderr.contains("credentials-missing"), "{}", run.stderr);
        }
    }

    #[test]
    fn a_provider_that_cannot_answer_is_a_failure() {
        let world = Market::new();
        let mut run = world.sky(LINE);
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            run = run.remove_env(name);
        }
        let run = run
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .run()
            .expect_code(3);
        assert!(run.stderr.contains("AWS_ACCESS_KEY_ID"), "{}", run.stderr);
        world.standin.fault(Service::QUOTAS, Fault::ServerError);
        let run = world.sky(&format!("{LINE} -o json")).run().expect_code(5);
        assert!(rows(&run.stdout).is_empty(), "{}", run.stdout);
    }
}
