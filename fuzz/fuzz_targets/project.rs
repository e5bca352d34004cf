//! Any bytes as a project file; what is read is written as a plan's parameters and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marginswap_pipeline::project::Project;

fuzz_target!(|bytes: &[u8]| {
    marginswap_fuzz::with_file(bytes, |path| {
        let Ok(project) = Project::load(path) else { return };
        let parameters = project.parameters();
        let again = Project::from_parameters(&parameters).expect("parameters are those of a project");
        // Of a list of records the parameters hold only that there was one.
        if parameters["risky"] != "records" {
            assert_eq!(again.parameters(), parameters, "parameters come back");
        }
    });
});
