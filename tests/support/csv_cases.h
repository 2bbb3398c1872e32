/* csv_cases.h - what the table reader accepts and refuses, text by text; docs/reference/formats.md
 * says the same in words. test_csv.c runs every case with the buffer split at every byte.
 */
#ifndef SCONE_TESTS_CSV_CASES_H
#define SCONE_TESTS_CSV_CASES_H

#include "scone.h"

typedef struct csv_case {
    const char *name;
    const char *bytes;
    size_t size;
    const char *names;   /* "a|b"; NULL if the text is refused */
    const char *values;  /* "1 2;3 4": cells of rows */
    const char *message; /* a part of it, if the text is refused */
    scone_na na;
    bool allow_empty;
    const char *label_column, *labels; /* "x|y" */
    const char *note;                  /* a part of a note; NULL: there must be none */
} csv_case;

#define TEXT(text_) text_, sizeof(text_) - 1
#define GOOD(name_, text_, names_, values_)                                                        \
    {                                                                                              \
        name_, TEXT(text_), names_, values_, NULL, 0, 0, 0, 0, 0                                   \
    }
#define BAD(name_, text_, message_)                                                                \
    {                                                                                              \
        name_, TEXT(text_), NULL, NULL, message_, 0, 0, 0, 0, 0                                    \
    }
#define KEEP(name_, text_, names_, values_)                                                        \
    {                                                                                              \
        name_, TEXT(text_), names_, values_, NULL, SCONE_NA_KEEP, 0, 0, 0, 0                       \
    }
#define DROP(name_, text_, names_, values_, note_)                                                 \
    {                                                                                              \
        name_, TEXT(text_), names_, values_, NULL, SCONE_NA_DROP, 0, 0, 0, note_                   \
    }
#define NOTED(name_, text_, names_, values_, note_)                                                \
    {                                                                                              \
        name_, TEXT(text_), names_, values_, NULL, 0, 0, 0, 0, note_                               \
    }
#define LABELLED(name_, text_, names_, values_, labels_)                                           \
    {                                                                                              \
        name_, TEXT(text_), names_, values_, NULL, 0, 0, "g", labels_, 0                           \
    }

/* clang-format off: one case a line */
static const csv_case csv_cases[] = {
    /* lines */
    GOOD("line feeds", "a,b\n1,2\n3,4\n", "a|b", "1 2;3 4"),
    GOOD("carriage return and line feed", "a,b\r\n1,2\r\n3,4\r\n", "a|b", "1 2;3 4"),
    GOOD("lone carriage returns", "a,b\r1,2\r3,4\r", "a|b", "1 2;3 4"),
    GOOD("mixed line breaks", "a,b\n1,2\r\n3,4\r5,6\n", "a|b", "1 2;3 4;5 6"),
    GOOD("no final newline", "a,b\n1,2\n3,4", "a|b", "1 2;3 4"),
    GOOD("final carriage return", "a,b\n1,2\r", "a|b", "1 2"),
    GOOD("one cell", "a\n5", "a", "5"),
    GOOD("one column", "a\n1\n2\n3\n", "a", "1;2;3"),
    GOOD("blank lines between", "a,b\n\n1,2\n\n\n3,4\n\n", "a|b", "1 2;3 4"),
    GOOD("blank lines first", "\n\r\n  \na,b\n1,2\n", "a|b", "1 2"),
    GOOD("lines of spaces", "a,b\n   \n1,2\n \t \n3,4\n", "a|b", "1 2;3 4"),
    GOOD("blank lines in one column", "a\n1\n\n2\n", "a", "1;2"),
    BAD("line of delimiters", "a,b\n1,2\n,\n", "row 3, column 1 ('a'): the cell is missing"),
    /* delimiters and blanks */
    GOOD("semicolons", "a;b\n1;2\n", "a|b", "1 2"),
    GOOD("tabs", "a\tb\n1\t2\n", "a|b", "1 2"),
    GOOD("spaces around", "a , b\n 1 , 2 \n  3,4  \n", "a|b", "1 2;3 4"),
    GOOD("space after the comma", "a, b\n1, 2\n3, -4\n", "a|b", "1 2;3 -4"),
    GOOD("tabs around", "a,b\n\t1\t,\t2\t\n", "a|b", "1 2"),
    GOOD("spaces in a tab file", " a \t b \n 1 \t 2 \n", "a|b", "1 2"),
    GOOD("commas in a semicolon header", "\"x,1\";\"y,2\"\n1;2\n", "x,1|y,2", "1 2"),
    BAD("other delimiter below", "a,b\n1;2\n", "row 2 has 1 field, but the header has 2"),
    BAD("spaces as delimiter", "a b\n1 2\n", "'1 2' is not a number"),
    /* encoding */
    GOOD("UTF-8 mark",
         "\xEF\xBB\xBF"
         "a,b\n1,2\n",
         "a|b", "1 2"),
    GOOD("UTF-8 names",
         "gr\xC3\xB6\xC3\x9F"
         "e,\xCE\xB2\n1,2\n",
         "gr\xC3\xB6\xC3\x9F"
         "e|\xCE\xB2",
         "1 2"),
    GOOD("four-byte names", "\xF0\x9F\xA7\xAC,b\n1,2\n", "\xF0\x9F\xA7\xAC|b", "1 2"),
    BAD("UTF-16 little-endian",
        "\xFF\xFE"
        "a\0,\0b\0\n\0",
        "UTF-16"),
    BAD("UTF-16 big-endian", "\xFE\xFF\0a\0,\0b\0\n", "UTF-16"),
    BAD("UTF-16 without mark", "a\0,\0b\0\n\0", "NUL bytes"),
    BAD("UTF-32", "\xFF\xFE\0\0a\0\0\0", "UTF-32"),
    BAD("Latin-1 name",
        "gr\xF6\xDF"
        "e,b\n1,2\n",
        "0xf6, which is not UTF-8"),
    BAD("overlong name", "\xC0\xAF,b\n1,2\n", "not UTF-8"),
    BAD("surrogate name", "\xED\xA0\x80,b\n1,2\n", "not UTF-8"),
    BAD("cut name", "\xE2\x82,b\n1,2\n", "not UTF-8"),
    BAD("control character in a name", "a\x01,b\n1,2\n", "0x01"),
    BAD("NUL in the header", "a\0b,c\n1,2\n", "NUL"),
    BAD("NUL in a cell", "a,b\n1,2\n3\0,4\n", "NUL"),
    BAD("NUL at the end", "a,b\n1,2\n\0", "NUL"),
    BAD("workbook", "PK\x03\x04\x14\0\x06\0", "Excel workbook"),
    BAD("Parquet", "PAR1\x15\x04\x15", "Parquet"),
    GOOD("a name like a mark", "PAR1,BZh9\n1,2\n", "PAR1|BZh9", "1 2"),
    BAD("NumPy", "\x93NUMPY\x01\0", "NumPy"),
    BAD("HDF5", "\x89HDF\r\n\x1a\n", "HDF5"),
    /* quotes */
    GOOD("quoted names", "\"a\",\"b\"\n1,2\n", "a|b", "1 2"),
    GOOD("quoted numbers", "a,b\n\"1\",\"-2.5\"\n", "a|b", "1 -2.5"),
    GOOD("blanks inside quotes", "a,b\n\" 1 \",\"2\t\"\n", "a|b", "1 2"),
    GOOD("delimiter in a name", "\"a,b\",c\n1,2\n", "a,b|c", "1 2"),
    GOOD("doubled quote in a name", "\"say \"\"a\"\"\",b\n1,2\n", "say \"a\"|b", "1 2"),
    GOOD("line feed in a name", "\"a\nb\",c\n1,2\n", "a\nb|c", "1 2"),
    GOOD("line break in a name", "\"a\r\nb\",c\r\n1,2\r\n", "a\r\nb|c", "1 2"),
    GOOD("blanks around quotes", " \"a\" , \"b\" \n \"1\" , 2 \n", "a|b", "1 2"),
    GOOD("some rows quoted", "a,b\n1,2\n\"3\",4\n5,6\n", "a|b", "1 2;3 4;5 6"),
    BAD("open quote", "a,b\n1,\"2\n3,4\n", "row 2: field 2 opens a quote"),
    BAD("quote in mid-field", "a,b\n1,2\"3\"\n", "row 2: field 2 has a quote"),
    BAD("text after a quote", "a,b\n\"1\"2,3\n", "row 2: field 1 has text after"),
    BAD("open quote in the header", "\"a,b\n1,2\n", "row 1: field 1 opens a quote"),
    BAD("row numbers after a quoted break", "\"a\nb\",c\n1,2\nx,4\n", "row 3, column 1"),
    /* header */
    BAD("no header", "1,2\n3,4\n", "row 1: there is no header"),
    BAD("no header, one number", "5\n6\n", "there is no header"),
    BAD("no header, missing cell", "1.5,NA,-2\n3,4,5\n", "there is no header"),
    BAD("no header, after an empty cell", ",1.5,2\n3,4,5\n", "there is no header"),
    BAD("no header, quoted", "\"1\",\"2\"\n3,4\n", "there is no header"),
    GOOD("numbers among names", "1,b,3\n1,2,3\n", "1|b|3", "1 2 3"),
    GOOD("names like missing cells", "NA,inf\n1,2\n", "NA|inf", "1 2"),
    BAD("duplicate name", "a,b,a\n1,2,3\n", "columns 1 and 3 are both named 'a'"),
    BAD("duplicate after trimming", "a, a\n1,2\n", "both named 'a'"),
    GOOD("names differ in case", "a,A\n1,2\n", "a|A", "1 2"),
    BAD("empty name", "a,,c\n1,2,3\n", "row 1, column 2: the header has an empty name"),
    BAD("empty quoted name", "a,\"\",c\n1,2,3\n", "column 2: the header has an empty name"),
    BAD("trailing delimiter", "a,b,\n1,2,\n", "the header ends with 1 empty name;"),
    BAD("trailing delimiters", "a,b,,,\n1,2,,,\n", "the header ends with 3 empty names"),
    BAD("empty", "", "the file is empty"),
    BAD("mark alone", "\xEF\xBB\xBF", "only blank lines"),
    BAD("blank lines alone", "\n\r\n   \n", "only blank lines"),
    BAD("header row after blank lines", "\n\na,a\n1,2\n", "row 3: columns 1 and 2"),
    BAD("delimiters alone", ",,\n", "the header ends with 3 empty names"),
    /* row index */
    NOTED("index without a name", ",a,b\n0,1,2\n1,3,4\n", "a|b", "1 2;3 4",
          "left out the first column"),
    NOTED("quoted index", "\"\",\"a\"\n\"x, y\",1\n\"z\",2\n", "a", "1;2", "row index"),
    NOTED("index of text", ",a\nfirst,1\nsecond,2\n", "a", "1;2", "row index"),
    NOTED("empty index cells", ",a\n,1\n,2\n", "a", "1;2", "row index"),
    NOTED("index read again", "Unnamed: 0,a\n0,1\n", "a", "1", "row index"),
    NOTED("index written twice", ",Unnamed: 0,a\n0,0,1\n", "a", "1", "first columns"),
    GOOD("index name further on", "a,Unnamed: 0\n1,2\n", "a|Unnamed: 0", "1 2"),
    BAD("index alone", "\"\"\n1\n2\n", "no column of numbers besides the row index"),
    /* ragged rows */
    BAD("too few", "a,b,c\n1,2,3\n4,5\n", "row 3 has 2 fields, but the header has 3"),
    BAD("too many", "a,b\n1,2\n3,4,5\n", "row 3 has 3 fields, but the header has 2"),
    BAD("row names without header", "a,b\nx,1,2\ny,3,4\n", "R's write.table"),
    BAD("delimiter at the end of a row", "a,b\n1,2,\n",
        "remove the delimiter at the end of the row"),
    BAD("cut off", "a,b,c\n1,2,3\n4", "row 3 has 1 field"),
    BAD("decimal commas in a comma file", "a,b\n1,5,2,5\n", "row 2 has 4 fields"),
    /* numbers */
    GOOD("forms", "a\n+1\n-0.5\n.5\n5.\n1e3\n1E-3\n007\n1e+2\n", "a",
         "1;-0.5;0.5;5;1000;0.001;7;100"),
    GOOD("17 digits", "a,b\n0.12345678901234567,-1.2345678901234567\n", "a|b",
         "0.12345678901234567 -1.2345678901234567"),
    GOOD("many digits", "a,b\n3.14159265358979323846264338327950288,12345678901234567890123\n",
         "a|b", "3.14159265358979323846264338327950288 12345678901234567890123"),
    GOOD("small", "a,b,c\n1e-400,5e-324,-1e-310\n", "a|b|c", "0 5e-324 -1e-310"),
    GOOD("negative zero", "a,b\n-0,0\n", "a|b", "-0 0"),
    BAD("too large", "a,b\n1,1e400\n", "row 2, column 2 ('b'): the cell is infinite ('1e400')"),
    BAD("text", "a,b\n1,2\n3,x\n", "row 3, column 2 ('b'): 'x' is not a number"),
    BAD("text in a long cell",
        "a\nthis is a very long cell with much more text than a message shows\n",
        "'this is a very long cell with much more ...' is not a number"),
    BAD("text with control characters", "a\nx\x01y\n", "'x?y' is not a number"),
    BAD("truth value", "a,b\n1,TRUE\n", "'TRUE' is not a number; write 1 and 0"),
    BAD("decimal comma", "a;b\n1,5;2\n", "'1,5' has a decimal comma"),
    BAD("quoted decimal comma", "a,b\n\"1,5\",2\n", "'1,5' has a decimal comma"),
    BAD("thousands", "a;b\n1,234,567;2\n", "'1,234,567' is not a number"),
    BAD("hexadecimal", "a,b\n0x1F,2\n", "'0x1F' is hexadecimal"),
    BAD("negative hexadecimal", "a\n-0X1F\n", "is hexadecimal"),
    BAD("unit", "a\n5kg\n", "'5kg' is not a number"),
    BAD("percent", "a\n5%\n", "'5%' is not a number"),
    BAD("date", "a\n2020-01-02\n", "'2020-01-02' is not a number"),
    BAD("half an exponent", "a\n1e\n", "'1e' is not a number"),
    BAD("two points", "a\n1.2.3\n", "'1.2.3' is not a number"),
    BAD("hyphen", "a\n-\n", "'-' is not a number"),
    BAD("typographic minus",
        "a\n\xE2\x88\x92"
        "1\n",
        "is not a number"),
    BAD("text after missing cells", "a,b\nNA,1\n2,x\n",
        "row 3, column 2 ('b'): 'x' is not a number"),
    /* missing and infinite cells */
    BAD("missing", "a,b\n1,2\n3,NA\nNaN,\n5,6\n",
        "row 3, column 2 ('b'): the cell is missing ('NA'); 3 such cells in 2 of 4 rows"),
    BAD("infinite", "a,b\n1,-inf\n", "the cell is infinite ('-inf'); 1 such cell in 1 of 1 row;"),
    KEEP("kept", "a,b\n1,NA\n-inf,2\n", "a|b", "1 nan;-inf 2"),
    KEEP("ways to say missing",
         "a,b\n,1\nNA,1\nN/A,1\nn/"
         "a,1\nNaN,1\nnan,1\n-nan,1\n+nan,1\nnull,1\nNULL,1\nNone,1\n.,1\n?,1\n#N/"
         "A,1\n<NA>,1\n\"\",1\n\"NA\",1\n",
         "a|b",
         "nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan 1;nan "
         "1;nan 1;nan 1"),
    KEEP("ways to say infinite", "a\ninf\n-inf\n+Inf\nInfinity\n-INFINITY\n1e999\n-1e400\n", "a",
         "inf;-inf;inf;inf;-inf;inf;-inf"),
    DROP("dropped", "a,b\n1,2\n3,NA\ninf,4\n5,6\n", "a|b", "1 2;5 6",
         "removed 2 of 4 rows with missing or infinite cells, the first at row 3, column 2 ('b')"),
    DROP("nothing to drop", "a,b\n1,2\n", "a|b", "1 2", NULL),
    {"all dropped", TEXT("a\nNA\n.\n"), NULL, NULL, "no rows are left: all 2", SCONE_NA_DROP, 0, 0,
     0, "removed 2 of 2"},
    {"all dropped, allowed", TEXT("a\nNA\n.\n"), "a", "", NULL, SCONE_NA_DROP, true, 0, 0,
     "removed 2 of 2"},
    /* no rows */
    BAD("no rows", "a,b\n", "a header but no rows"),
    BAD("no rows, no newline", "a,b", "a header but no rows"),
    {"no rows, allowed", TEXT("a,b\n"), "a|b", "", NULL, 0, true, 0, 0, 0},
    {"no rows, labelled, allowed", TEXT("a,g\n"), "a", "", NULL, 0, true, "g", "", 0},
    /* labels */
    LABELLED("labels", "g,a,b\ncontrol,1,2\ntreated,3,4\n", "a|b", "1 2;3 4", "control|treated"),
    LABELLED("labels last", "a,g\n1,x\n2,y", "a", "1;2", "x|y"),
    LABELLED("labels in the middle", "a,g,b\n1, x y ,2\n3,\"u, \"\"v\"\"\",4\n", "a|b", "1 2;3 4",
             "x y|u, \"v\""),
    LABELLED("blanks before labels", "g,a\n\t x,1\n \ty,2\n\tz,3 \n", "a", "1;2;3", "x|y|z"),
    LABELLED("tabs between labels", "g\ta\n x\t1\n\"\ty\"\t2\n", "a", "1;2", "x|\ty"),
    LABELLED("numbers as labels", "g,a\n0,1\n1.50,2\n", "a", "1;2", "0|1.50"),
    LABELLED("words that are labels", "g,a\nNone,1\n.,2\n?,3\n", "a", "1;2;3", "None|.|?"),
    {"label of the index", TEXT("Unnamed: 0,a\nx,1\n"), "a", "1", NULL, 0, 0, "Unnamed: 0", "x", 0},
    {"missing label", TEXT("g,a\nx,1\n,2\n"), NULL, NULL,
     "row 3, column 1 ('g'): the cell is missing ('')", 0, 0, "g", 0, 0},
    {"missing label dropped", TEXT("g,a\nx,1\nNA,2\ny,nan\nz,4\n"), "a", "1;4", NULL, SCONE_NA_DROP,
     0, "g", "x|z", "removed 2 of 4"},
    {"missing label kept", TEXT("g,a\nNA,1\n,2\n"), "a", "1;2", NULL, SCONE_NA_KEEP, 0, "g", "NA|",
     0},
    {"no such label", TEXT("a,b\n1,2\n"), NULL, NULL,
     "there is no column 'g'; the columns are: a, b", 0, 0, "g", 0, 0},
    {"label alone", TEXT("g\nx\n"), NULL, NULL, "no column of numbers besides the regime column", 0,
     0, "g", 0, 0},
};
/* clang-format on */

#endif
