//! A CSV file as rows of raw fields, and a field as its value: written from the rules alone.

/// The rows of a file, raw, the header among them. `None` where it is no such file.
#[must_use]
pub fn rows(bytes: &[u8], delimiter: u8) -> Option<Vec<Vec<Vec<u8>>>> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), Vec::new(), false);
    for (place, &byte) in bytes.iter().enumerate() {
        let ends_line = byte == b'\n' && !quoted;
        if byte == b'"' {
            quoted = !quoted;
        }
        if (byte == delimiter && !quoted) || ends_line {
            row.push(std::mem::take(&mut field));
        } else if byte == b'\r' && !quoted && bytes.get(place + 1) == Some(&b'\n') {
            continue;
        } else {
            field.push(byte);
        }
        if ends_line {
            rows.push(std::mem::take(&mut row));
        }
    }
    if !bytes.ends_with(b"\n") {
        row.push(field);
        rows.push(row);
    }
    (!quoted).then_some(rows)
}

/// What a raw field means.
#[must_use]
pub fn value(raw: &[u8]) -> Vec<u8> {
    let Some(inner) = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\"")) else {
        return raw.to_vec();
    };
    let mut value = Vec::new();
    let mut bytes = inner.iter();
    while let Some(&byte) = bytes.next() {
        value.push(byte);
        if byte == b'"' {
            bytes.next();
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Case;

    #[test]
    fn a_world_comes_back() {
        for number in 0..300 {
            let world = Case::draw(5, number).world;
            let read = rows(&world.bytes(), world.delimiter).expect("it is a file");
            assert_eq!(read[1..], world.rows[..], "{number}");
            let names: Vec<Vec<u8>> = read[0].iter().map(|name| value(name)).collect();
            assert!(names.iter().eq(world.names.iter().map(String::as_bytes)), "{number}");
        }
        assert_eq!(value(b"\"q\"\"q\""), b"q\"q");
    }
}
