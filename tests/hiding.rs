//! People at risk are hidden from anyone who knows any part of their keys, and what is reported of
//! it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use serde_json::Value;
use support::{Desk, answer, err, marginswap, out};

const TOWN: &str = "examples/town.csv";
const JOB: [&str; 4] =
    ["--keys", "region,sex,age,marital", "--keep", "region*sex*age + age*marital"];

fn protected(desk: &Desk, name: &str, more: &[&str]) -> (Value, i32) {
    let (out, seed) = (desk.path(name), seed_of(desk));
    let job = ["protect", TOWN, "-o", &out, "--seed-file", &seed, "--order", "input"];
    answer(&[&job[..], &JOB, more].concat())
}

/// Always the same seed, so that chance decides nothing.
fn seed_of(desk: &Desk) -> String {
    desk.write("seed", &"5e".repeat(32))
}

fn has_reason(said: &Value, name: &str) -> bool {
    said["reasons"].as_array().unwrap().iter().any(|why| why["reason"] == name)
}

/// The default is any part; the crowd, the knowledge and the tolerance each change the answer.
#[test]
fn settings_of_hiding_change_the_answer() {
    let desk = Desk::new();
    let (said, code) = protected(&desk, "default.csv", &[]);
    assert_eq!((&said["verdict"], code), (&"release".into(), 0), "{}", said["reasons"]);
    assert_eq!((&said["knows"], &said["hidden"]["crowd"]), (&"any part".into(), &5.into()));
    let hidden = ["hidden", "values_replaced"].map(|name| said["hidden"][name].as_u64().unwrap());
    assert_eq!(hidden.iter().sum::<u64>(), said["at_risk"].as_u64().unwrap());
    let (all, _) = protected(&desk, "all.csv", &["--knows", "all"]);
    assert_eq!((&all["knows"], &all["hidden"]), (&"all".into(), &Value::Null));
    let (few, _) = protected(&desk, "few.csv", &["--crowd", "2"]);
    assert_eq!(few["hidden"]["crowd"], 2);
    let released = ["default.csv", "all.csv", "few.csv"].map(|name| desk.read(name));
    assert!(released[0] != released[1] && released[0] != released[2]);
    // Found through some of the keys: nobody beyond chance by default, some where all keys count.
    let found = |said: &Value| said["found"].as_u64().unwrap();
    assert!(found(&said) <= found(&all), "{} and {}", found(&said), found(&all));

    let (short, _) = protected(&desk, "short.csv", &["--budget", "4"]);
    assert!(short["hidden"]["not_hidden"].as_u64().unwrap() > 0);
    assert!(has_reason(&short, "not_hidden") && short["verdict"] == "do_not_release");
    let tolerant = ["--budget", "4", "--tolerate-not-hidden", "100%"];
    let (tolerated, _) = protected(&desk, "tolerated.csv", &tolerant);
    assert!(!has_reason(&tolerated, "not_hidden"), "{}", tolerated["reasons"]);
}

/// Who is hidden is counted again from the plan file, and is what `protect` said.
#[test]
fn a_plan_file_hides_whom_protect_hides() {
    let desk = Desk::new();
    let [plan, released, page] = ["swap.plan", "out.csv", "page.html"].map(|name| desk.path(name));
    let seed = seed_of(&desk);
    let (said, _) = protected(&desk, "direct.csv", &[]);
    let (planned, _) =
        answer(&[&["plan", TOWN, "-o", &plan, "--seed-file", &seed], &JOB[..]].concat());
    assert_eq!(planned["hidden"], said["hidden"]);
    let apply = ["apply", TOWN, &plan, "-o", &released, "--order", "input"];
    let (applied, code) = answer(&[&apply[..], &["--seed-file", &seed]].concat());
    assert_eq!((&applied["hidden"], code), (&said["hidden"], 0), "{}", applied["reasons"]);
    let (told, _) = answer(&["report", TOWN, &released, "--plan", &plan, "-o", &page]);
    assert_eq!(told["hidden"], said["hidden"]);
    // Two files alone do not tell who is hidden.
    let (verified, _) = answer(&[&["verify", TOWN, &released], &JOB[..]].concat());
    assert_eq!(verified["hidden"], Value::Null);
}

/// A table of everything leaves nobody anything to exchange: it is named, and a reviewer decides.
#[test]
fn a_table_that_prevents_hiding_is_named() {
    let desk = Desk::new();
    let released = desk.path("out.csv");
    let keep = "region*sex*age*marital*education + occupation";
    let keys = ["--keys", "region,sex,age,marital", "--sensitive", "education", "--keep", keep];
    let (said, code) = answer(&[&["protect", TOWN, "-o", &released], &keys[..]].concat());
    assert_eq!(code, 1);
    let hidden = &said["hidden"];
    let cannot = hidden["cannot_be_hidden"].as_u64().unwrap();
    assert!(cannot > 0, "{hidden}");
    assert!(has_reason(&said, "cannot_be_hidden"), "{}", said["reasons"]);
    let table = ["region", "sex", "age", "marital", "education"];
    assert_eq!(hidden["prevented_by"][0]["table"], serde_json::json!(table));
    assert_eq!(hidden["prevented_by"][0]["people"], cannot);
}

/// `explain` gives one of its answers for a record, and says which exchange or which table.
#[test]
fn a_record_is_told_whether_it_can_be_hidden() {
    let answers = |keep: &str| -> Vec<Value> {
        let asked = |record: usize| {
            let record = record.to_string();
            let keys =
                ["--keys", "region,sex,age,marital", "--sensitive", "education", "--keep", keep];
            answer(&[&["explain", TOWN, "--record", &record], &keys[..]].concat()).0["hiding"]
                .clone()
        };
        (1..60).map(asked).collect()
    };
    let one = |answers: &[Value], name: &str| -> Value {
        answers.iter().find(|one| one["answer"] == name).cloned().unwrap_or_default()
    };
    let some = answers("region*sex*age + age*marital");
    assert_eq!(one(&some, "not_found")["answer"], "not_found");
    let can = one(&some, "can_be_hidden");
    assert!(!can["exchanged"].as_array().unwrap().is_empty(), "{can}");
    let all = answers("region*sex*age*marital*education + occupation");
    assert!(one(&all, "cannot_be_hidden")["table"].as_array().unwrap().len() == 5);
    let of_all = ["explain", TOWN, "--record", "1", "--knows", "all"];
    assert!(answer(&[&of_all[..], &JOB].concat()).0.get("hiding").is_none());
}

/// What has no effect, or no meaning, is refused.
#[test]
fn settings_for_another_intruder_are_refused() {
    let desk = Desk::new();
    let released = desk.path("out.csv");
    for (more, code, words) in [
        (&["--knows", "all", "--crowd", "7"][..], "error[E119]", "a crowd hides people"),
        (&["--pairing", "optimal"], "error[E119]", "the best pairing is known only"),
        (&["--knows", "some"], "invalid value", "write any-part or all"),
        (&["--crowd", "1"], "invalid value", "from 2 to 1000"),
    ] {
        let output = marginswap(&[&["protect", TOWN, "-o", &released], &JOB[..], more].concat());
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        let said = err(&output);
        assert!(said.contains(code) && said.contains(words), "{said}");
    }
    // Against an intruder who knows all keys the best pairing is there.
    let optimal = ["--knows", "all", "--pairing", "optimal"];
    let shown = marginswap(&[&["protect", TOWN, "-o", &released], &JOB[..], &optimal].concat());
    assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
    assert!(out(&shown).contains("tested against anyone who knows exactly all keys"));
}

/// A record that is blank on a key may be anybody's there: who finds that everybody else with the
/// other keys has another job is left with the one without. An empty field is blank, and what
/// `missing` names.
#[test]
fn who_is_left_with_a_blank_key_is_found() {
    let desk = Desk::new();
    let found = |blank: &str, more: &[&str]| {
        let others = ["f,cook,10", "f,cook,11", "f,driver,12", "f,driver,13"];
        let men = ["m,cook,14", "m,cook,15", "m,nurse,16", "m,nurse,17"];
        let file = |two: [String; 2]| {
            format!(
                "sex,job,income\n{}\n{}\n{}\n",
                two.join("\n"),
                others.join("\n"),
                men.join("\n")
            )
        };
        let before = desk.write("before.csv", &file(["f,nurse,1".into(), format!("m,{blank},2")]));
        let after = desk.write("after.csv", &file([format!("f,{blank},1"), "m,nurse,2".into()]));
        let job = ["verify", &before, &after, "--keep", "sex + job", "--keys", "sex,job"];
        let (said, _) = answer(&[&job[..], &["--sensitive", "income"], more].concat());
        [&said["at_risk"], &said["found_before"], &said["found"]].map(|one| one.as_u64().unwrap())
    };
    assert_eq!(found("none", &[]), [2, 2, 0]);
    assert_eq!(found("", &[]), [2, 2, 1]);
    assert_eq!(found("none", &["--missing", "none"]), [2, 2, 1]);
}
