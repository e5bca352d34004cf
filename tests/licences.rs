//! What is linked into the program: only licences that let an office pass it on, and only
//! packages of the public registry.
//!
//! Trap: packages for other systems may not be at hand without a network. Then those of this
//! system alone are looked at.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

use serde_json::Value;

/// Licences without conditions on programs that link the package.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

fn cargo(arguments: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

fn packages() -> Vec<Value> {
    let all = ["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"];
    let told = cargo(&all).unwrap_or_else(|| {
        let version = cargo(&["-vV"]).unwrap();
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        cargo(&[&all[..], &["--filter-platform", host]].concat()).expect("cargo tells the packages")
    });
    let told: Value = serde_json::from_str(&told).unwrap();
    told["packages"].as_array().unwrap().clone()
}

/// Is one of the ways to take a licence expression allowed? `OR` binds less than `AND`.
fn is_allowed(expression: &str) -> bool {
    let tokens = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = tokens.split_whitespace().collect();
    let mut rest = &tokens[..];
    let allowed = any(&mut rest);
    allowed && rest.is_empty()
}

fn any(rest: &mut &[&str]) -> bool {
    let mut allowed = all(rest);
    while let ["OR", behind @ ..] = *rest {
        *rest = behind;
        allowed |= all(rest);
    }
    allowed
}

fn all(rest: &mut &[&str]) -> bool {
    let mut allowed = one(rest);
    while let ["AND", behind @ ..] = *rest {
        *rest = behind;
        allowed &= one(rest);
    }
    allowed
}

fn one(rest: &mut &[&str]) -> bool {
    match *rest {
        ["(", behind @ ..] => {
            *rest = behind;
            let allowed = any(rest);
            let closes = rest.first() == Some(&")");
            *rest = rest.get(1..).unwrap_or(&[]);
            allowed && closes
        }
        [licence, "WITH", exception, behind @ ..] => {
            *rest = behind;
            ALLOWED.contains(&format!("{licence} WITH {exception}").as_str())
        }
        [licence, behind @ ..] => {
            *rest = behind;
            ALLOWED.contains(licence)
        }
        [] => false,
    }
}

#[test]
fn an_expression_is_allowed_when_one_way_is() {
    for allowed in [
        "MIT",
        "MIT OR GPL-3.0",
        "Apache-2.0/MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT MIT", "GPL-2.0 WITH exception"] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn every_package_may_be_passed_on() {
    let packages = packages();
    assert!(packages.len() > 30, "the packages are found");
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence), "{name}: {licence:?} is not among the allowed licences");
    }
}

#[test]
fn every_package_comes_from_the_registry_or_from_here() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        match package["source"].as_str() {
            None => assert!(name.starts_with("marginswap"), "{name} is a folder of its own"),
            Some(source) => assert!(
                source.starts_with("registry+") || source.starts_with("sparse+"),
                "{name} comes from {source}"
            ),
        }
    }
}
