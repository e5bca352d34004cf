//! The refusals that arise here: names that mean nothing, roles that clash, too much to do.

crate::refusals! {
    own {
        UnknownVariable "unknown-variable": "A table names something that is no column";
        RepeatedVariable "repeated-variable": "A table names a variable twice";
        EmptyTable "empty-table": "A table without variables";
        BadFormula "bad-formula": "Tables or names that cannot be read";
        UnknownColumn "unknown-column": "A name that is no column";
        TwoRoles "two-roles": "A column with two roles";
        IgnoredInTable "ignored-in-table": "A table names a column that takes no part";
        TooManyVariables "too-many-variables": "More variables than a set can hold";
        NoVariables "no-variables": "No column is left to exchange";
        TooManyComparisons "too-many-comparisons": "More comparisons than anybody can wait for";
    }
}
