//! The refusals that arise here: files that cannot be read, understood, followed or written.

marginswap_core::refusals! {
    own {
        FileMissing "file-missing": "There is no such file";
        IsDirectory "is-directory": "A folder where a file is expected";
        TooManyFields "too-many-fields": "A line with too many fields";
        TooFewFields "too-few-fields": "A line with too few fields";
        UnclosedQuote "unclosed-quote": "A quote that is never closed";
        TextAfterQuote "text-after-quote": "Text after a closing quote";
        DuplicateName "duplicate-name": "Two columns of one name";
        EmptyName "empty-name": "A column without a name";
        HeaderNotUtf8 "header-not-utf8": "A header that is not UTF-8";
        NoRecords "no-records": "A file without records";
        NulByte "nul-byte": "A NUL byte";
        BadGzip "bad-gzip": "A damaged gzip file";
        BadParquet "bad-parquet": "A damaged Parquet file";
        FloatColumn "float-column": "A column of floating-point numbers";
        UnsupportedColumn "unsupported-column": "A column of lists, structures or the like";
        InEngine "in-engine": "A column whose values stay with an engine";
        TooManyRecords "too-many-records": "More records than can be numbered";
        BareReturn "bare-return": "A carriage return that ends no line";
        BadDelimiter "bad-delimiter": "A delimiter that cannot be used";
        FieldTooLong "field-too-long": "A line or a name that is too long";
        NoParquet "no-parquet": "A Parquet file, without support for Parquet";
        UnsupportedCompression "unsupported-compression": "A Parquet file with an unsupported compression";
        InputChanged "input-changed": "The input changed while it was read";
        ForeignFile "foreign-file": "A file of another program";
        Utf16 "utf16": "A file in UTF-16";
        TooManyColumns "too-many-columns": "More columns than are read";
        PackedTooSmall "packed-too-small": "A gzip file that unpacks to far more than it is long";
        OtherDelimiter "other-delimiter": "The file has another delimiter";
        BadStata "bad-stata": "A damaged Stata file";
        BadSpss "bad-spss": "A damaged SPSS file";
        BadSas "bad-sas": "A damaged SAS file";
        OldStatistics "old-statistics": "A statistical file of a format that is not read";
        NotJsonStat "not-json-stat": "JSON that is no dataset of JSON-stat 2";
        SizesDisagree "sizes-disagree": "Sizes that do not fit the values of a published table";
        BadNumber "bad-number": "A published number that cannot be compared";
        NoNumbers "no-numbers": "A published table without a column of numbers";
        RepeatedCell "repeated-cell": "A cell that is published twice";
        StalePlan "stale-plan": "A plan for another input";
        OtherParameters "other-parameters": "A plan made with other parameters";
        NewerPlan "newer-plan": "A plan of a newer format";
        NoPlan "no-plan": "A file that is no plan, or a damaged one";
        WrongSeal "wrong-seal": "A plan without the seal that is asked for";
        Unreadable "unreadable": "A file that cannot be read";
        Unwritable "unwritable": "A file that cannot be written";
        OutputExists "output-exists": "The output file exists";
        OutputIsInput "output-is-input": "The output is the input";
        NoFolder "no-folder": "There is no such folder";
    }
}
