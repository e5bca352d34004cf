//! The refusals that arise here, and with them all that a door can meet.
//!
//! Their numbers, exit codes and texts are in [`crate::codes`].

marginswap_core::refusals! {
    own {
        NoSuchRecord "no-such-record": "A record that is not in the file";
        MissingSetting "missing-setting": "A required setting is missing";
        NoRiskModel "no-risk-model": "A choice that needs a risk model";
        OtherColumns "other-columns": "Two files with different columns";
        NotLinked "not-linked": "Records that the id does not tell apart";
        BadSeed "bad-seed": "An unusable seed file";
        OptionsClash "options-clash": "Settings that exclude each other";
        OrderGivesAway "order-gives-away": "An order of records that reveals swaps";
        IdAmongVariables "id-among-variables": "An id among the variables";
        NoEffect "no-effect": "A setting that cannot take effect";
        RepeatedName "repeated-name": "A name that a list holds twice";
        NothingToTell "nothing-to-tell": "The external report would not be true";
        PopulationTooSmall "population-too-small": "A population smaller than the file";
        BadFraction "bad-fraction": "An impossible sampling fraction";
        TwoPopulations "two-populations": "The size of the population is given twice";
        NotDecomposable "not-decomposable": "A start model that is not decomposable";
        BadWeight "bad-weight": "An unusable weight";
        NotAKey "not-a-key": "A model with a column that is not a key";
        BadTableList "bad-table-list": "An unusable list of tables";
        NoHouseholds "no-households": "A table of households";
        NotAHousehold "not-a-household": "A line without a household";
        NoPerson "no-person": "A household without a person";
        NoHousehold "no-household": "A person without a household";
        HouseholdTwice "household-twice": "A household on two lines of its file";
        SharedColumn "shared-column": "A column in the file of households and in that of persons";
        VariesInHousehold "varies-in-household": "A column that varies inside a household";
        WrongSize "wrong-size": "A column named for the size of households that is another number";
        HouseholdTooLarge "household-too-large": "A household of more members than an engine is asked for";
        EngineReadsOtherwise "engine-reads-otherwise": "A CSV file that an engine reads otherwise";
        TotalIsCategory "total-is-category": "A code of totals that is a category";
        OtherCategories "other-categories": "A published column without a common category";
        TooManySets "too-many-sets": "More sets of keys than anybody can wait for";
        DerivedClash "derived-clash": "A derived variable with the name of a column";
        DerivedCycle "derived-cycle": "Derived variables that follow from each other";
        BadDerived "bad-derived": "A derived variable that means nothing";
        NotANumber "not-a-number": "A value that is no number";
        NoRow "no-row": "Codes without a row in a file of groups";
        BadLookup "bad-lookup": "A file of groups that cannot be used";
        BadExpression "bad-expression": "An expression or a rule that cannot be read";
        PlanOfAnotherInput "plan-of-another-input": "A plan of another input that would be replaced";
        NotATable "not-a-table": "An object of a door that is no table";
        NoHeaderLine "no-header-line": "A first line that looks like a record";
        BadToml "bad-toml": "A project file that cannot be parsed";
        UnknownEntry "unknown-entry": "An unknown entry in the project file";
        BadEntry "bad-entry": "An unusable entry in the project file";
        NoProjectFile "no-project-file": "There is no such project file";
        OwnBug "own-bug": "A bug of ours";
        NotKept "not-kept": "A released file that does not keep its tables";
        NotGlueable "not-glueable": "Kept tables that are not decomposable";
        TablesDisagree "tables-disagree": "Published tables that contradict each other";
        IncompleteTable "incomplete-table": "A published table without whole numbers in every cell";
        VoidsTheClaim "voids-the-claim": "A setting that leaves nothing to certify";
        PairingTooLarge "pairing-too-large": "An optimal pairing that cannot be computed";
        TooManyTied "too-many-tied": "Too many variables for larger swaps";
        TooFewThreads "too-few-threads": "Threads that cannot be started";
        Cancelled "cancelled": "The run was stopped on request";
    }
    from marginswap_core::refusal::Code {
        UnknownVariable RepeatedVariable EmptyTable BadFormula UnknownColumn TwoRoles
        IgnoredInTable TooManyVariables NoVariables TooManyComparisons
    }
    from marginswap_io::refusal::Code {
        FileMissing IsDirectory TooManyFields TooFewFields UnclosedQuote TextAfterQuote
        DuplicateName EmptyName HeaderNotUtf8 NoRecords NulByte BadGzip BadParquet
        FloatColumn UnsupportedColumn InEngine TooManyRecords BareReturn BadDelimiter FieldTooLong
        NoParquet UnsupportedCompression InputChanged ForeignFile Utf16 TooManyColumns PackedTooSmall
        OtherDelimiter
        BadStata BadSpss BadSas OldStatistics
        NotJsonStat SizesDisagree BadNumber NoNumbers RepeatedCell
        StalePlan OtherParameters NewerPlan NoPlan WrongSeal Unreadable Unwritable OutputExists
        OutputIsInput NoFolder
    }
}
