//! The examples of the README, run as they stand.

/// Every `console` block is run in a copy of the example's folder and its output compared.
/// `TRYCMD=overwrite` writes what the program says today.
#[test]
fn the_readme_tells_the_truth() {
    trycmd::TestCases::new().case("README.md");
}

/// The page about published tables, run in a copy of the folder beside it.
#[test]
fn the_page_about_published_tables_tells_the_truth() {
    trycmd::TestCases::new().case("docs/published-tables.md");
}

/// The same for the guide to tables of groups.
#[test]
fn the_guide_to_tables_of_groups_tells_the_truth() {
    trycmd::TestCases::new().case("docs/tables-of-groups.md");
}
