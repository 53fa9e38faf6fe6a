use sky_accel_core::text::Rounded;

use super::*;

/// The texts of a row in the columns that are shown.
fn cells(table: &Table, row: usize) -> Vec<String> {
    let columns = 0..table.columns.len();
    columns.map(|at| table.text(row, at).to_owned()).collect()
}

fn table() -> Table {
    let mut table = Table::new([
        Column::left("NAME", 0),
        Column::right("PRICE", 0),
        Column::left("WHERE", 2),
        Column::left("WHY", 1),
    ]);
    table.row(
        RowStyle::Plain,
        [
            "a-rather-long-instance-type",
            "12.50",
            "us-east-1",
            "cheapest",
        ]
        .map(str::to_owned),
    );
    table
}

#[test]
fn the_least_important_column_goes_first() {
    let mut fitted = table();
    assert_eq!(fitted.fit(50), ["WHERE"]);
    assert!(total(&fitted.widths()) <= 50);
    let mut narrow = table();
    assert_eq!(narrow.fit(24), ["WHY", "WHERE"]);
    assert_eq!(total(&narrow.widths()), 24);
    assert!(narrow.text(0, 0).ends_with('…'));
    assert!(table().fit(200).is_empty());
}

#[test]
fn a_column_that_fills_takes_the_space_that_others_leave() {
    let fitted = |width| {
        let mut table = Table::new([
            Column::left("NAME", 0),
            Column::left("REMARK", 4).filling(),
            Column::left("WHERE", 2),
        ]);
        let row = ["a-name", "secure; community 15.92", "us-east-1"];
        table.row(RowStyle::Plain, row.map(str::to_owned));
        let hidden = table.fit(width);
        assert!(total(&table.widths()) <= width);
        (hidden, cells(&table, 0))
    };
    assert_eq!(fitted(42).1[1], "secure; community 15.92");
    assert_eq!(fitted(38).1[1], "secure…");
    assert_eq!(fitted(32).1[1], "secure…");
    // A few words are the least.
    assert_eq!(fitted(31).0, ["REMARK"]);
}

#[test]
fn wide_tables_are_divided_and_repeat_their_first_columns() {
    let table = || {
        let titles = ["KEY", "AAAA", "BBBB", "CCCC"];
        let mut table = Table::new(titles.map(|title| Column::left(title, 0)));
        table.row(RowStyle::Plain, ["k", "a", "b", "c"].map(str::to_owned));
        table
    };
    let lines = |width| -> Vec<String> {
        let parts = table().divided(1, width);
        parts.iter().flat_map(Table::lines).collect()
    };
    assert_eq!(lines(21), ["KEY  AAAA  BBBB  CCCC", "k    a     b     c"]);
    assert_eq!(
        lines(20),
        ["KEY  AAAA  BBBB", "k    a     b", "KEY  CCCC", "k    c"]
    );
    // A column that is too wide alone is not left out.
    assert_eq!(lines(3).len(), 6);
}

#[test]
fn long_texts_are_truncated_before_an_essential_column_is_hidden() {
    let mut table = Table::new([
        Column::left("NAME", 0),
        Column::of_ages(1),
        Column::left("WHERE", 2),
    ]);
    let name = "x".repeat(60);
    table.row(RowStyle::Plain, [&name, "9d list", "us"].map(str::to_owned));
    // A useful column is worth a text of 24.
    assert_eq!(table.fit(40), [""; 0]);
    assert_eq!(total(&table.widths()), 40);
    // An essential column is worth a text of 8, and a useful column is not.
    assert_eq!(table.fit(22), ["WHERE"]);
    assert_eq!(table.fit(17), [""; 0]);
    assert_eq!(table.fit(16), ["AGE"]);
}

#[test]
fn marks_stay_readable_before_names() {
    let fitted = |width| {
        let mut table = Table::new([
            Column::left("NAME", 0),
            Column::of_ages(1),
            Column::of_marks(),
        ]);
        let row = [
            "a-name-of-twenty-chars",
            "9d list",
            "too cheap, unconfirmed",
        ];
        table.row(RowStyle::Plain, row.map(str::to_owned));
        let hidden = table.fit(width);
        assert!(total(&table.widths()) <= width);
        (hidden, cells(&table, 0))
    };
    let (hidden, row) = fitted(48);
    assert_eq!(hidden, [""; 0]);
    assert_eq!(row[2], "too cheap, unconfirmed");
    // One reason is enough for a column that a reader needs.
    let (hidden, row) = fitted(38);
    assert_eq!(hidden, [""; 0]);
    assert_eq!(row[1..], ["9d list", "too cheap…"]);
    // Such a column is worth a few letters of names.
    let (hidden, row) = fitted(32);
    assert_eq!(hidden, [""; 0]);
    assert_eq!(row, ["a-name-of-…", "9d list", "too cheap…"]);
    let (hidden, row) = fitted(20);
    assert_eq!(hidden, ["AGE"]);
    assert!(row[1].starts_with("too che"), "{row:?}");
}

#[test]
fn titles_bound_the_width_of_texts() {
    let mut table = Table::new([
        Column::left("A TITLE OF TWENTY", 0),
        Column::of_ages(1),
        Column::of_marks(),
    ]);
    let row = [
        "x".repeat(30),
        "9d list".to_owned(),
        "unconfirmed".to_owned(),
    ];
    table.row(RowStyle::Plain, row);
    // No text can be shorter than its title: a column has to go.
    assert_eq!(table.fit(30), ["AGE"]);
}

#[test]
fn rows_drawn_one_by_one_look_as_in_the_table() {
    for width in [30, 50, 200] {
        let (lines, _) = table().styled_lines(Some(width));
        let laid_out = table().laid_out(width);
        assert_eq!(laid_out.header(), lines[0][0].1);
        assert_eq!(laid_out.row(0).unwrap(), lines[1][0]);
        assert!(laid_out.row(1).is_none());
    }
}

#[test]
fn columns_without_content_are_left_out() {
    let mut table = Table::new([Column::left("NAME", 0), Column::left("EMPTY", 1)]);
    table.row(RowStyle::Plain, ["x".to_owned(), String::new()]);
    table.drop_empty_columns();
    assert_eq!(table.columns.len(), 1);
}

#[test]
fn rows_link_in_a_last_column() {
    let mut table = Table::new([Column::left("PROVIDER", 0), Column::of_ages(0)]);
    for (provider, url) in [("aws", Some("https://aws.example/p5")), ("own", None)] {
        table.row(RowStyle::Plain, [provider.to_owned(), "9d".to_owned()]);
        table.link(&["PROVIDER", "AGE"], url);
    }
    let lines = table.with_link_column().lines();
    assert_eq!(
        lines,
        [
            "PROVIDER  AGE  LINK",
            "aws       9d   https://aws.example/p5",
            "own       9d"
        ]
    );
}

#[test]
fn names_of_machines_outlast_a_second_reason_for_a_mark() {
    let mut table = Table::new([
        Column::left("INSTANCE TYPE", 0),
        Column::right("USD/H", 0),
        Column::of_marks(),
    ]);
    let cells = ["g2-standard-4", "0.707", "too cheap, unconfirmed"];
    table.row(RowStyle::Plain, cells.map(str::to_owned));
    table.fit("g2-standard-4  0.707  unconfirmed".len());
    assert_eq!(table.lines()[1], "g2-standard-4  0.707  too cheap…");
}

#[test]
fn figures_are_written_to_their_cells() {
    let columns = ["A", "B", "C", "D"].map(|title| Column::right(title, 0));
    let mut table = Table::new(columns);
    let mut row = table.start_row(RowStyle::Plain);
    let (value, places) = (12.345, 1);
    row.number(Some(Rounded { value, places }));
    row.grouped(Some(131_072.0));
    row.number(None);
    // The last cell is not filled.
    drop(row);
    let more = ["1", "2", "3", "4", "beyond the last column"];
    table.row(RowStyle::Dim, more);
    assert_eq!(cells(&table, 0), ["12.3", "131,072", "—", ""]);
    assert_eq!(cells(&table, 1), ["1", "2", "3", "4"]);
    assert_eq!(
        table.lines(),
        [
            "   A        B  C  D",
            "12.3  131,072  —",
            "   1        2  3  4"
        ]
    );
}

#[test]
fn letters_of_several_bytes_and_columns_leave_others_in_their_places() {
    let mut table = Table::new([
        Column::left("NAME", 0),
        Column::right("USD/H", 0),
        Column::left("WHERE", 0),
    ]);
    table.row(RowStyle::Plain, ["漢字…", "—", "Zürich"]);
    table.row(RowStyle::Plain, ["plain", "1.25", "\u{1b}[2J"]);
    assert_eq!(
        table.lines(),
        [
            "NAME   USD/H  WHERE",
            "漢字…      —  Zürich",
            "plain   1.25  \\u{1b}[2J"
        ]
    );
}

#[test]
fn moved_and_hidden_columns_keep_their_cells_and_links() {
    let mut table = Table::new([
        Column::left("NAME", 0),
        Column::right("USD/H", 0),
        Column::right("PER GPU", 2),
    ]);
    table.row(RowStyle::Plain, ["p5", "16.00", "2.00"]);
    table.link(&["PER GPU"], Some("https://aws.example/p5"));
    table.lead_with("PER GPU", "USD/H");
    assert_eq!(cells(&table, 0), ["p5", "2.00", "16.00"]);
    assert_eq!(table.links[0].1, table.columns[1].cell);
    assert_eq!(table.fit("NAME  PER GPU".len()), ["USD/H"]);
    assert_eq!(table.lines(), ["NAME  PER GPU", "p5       2.00"]);
}
