import { examples } from '../help.ts'

/** The part of `kontor import --help` below its options. */
export const importHelp = `
Mapping:
  Without --map the command proposes a mapping by the names of the columns, and imports nothing.
  --map 'Column=field'             a column to a field
  --map 'Column=field.part'        to a part of one: name.first_name, location.city
  --map '{First} {Last}=field'     a text made of columns; absent where one of them is empty
  --map 'A=phone_numbers' --map 'B=phone_numbers'
                                   several columns to a field with several items
  --map 'Column=company_id'        the id of a linked record
  --map 'Column=company_id.domains'
                                   a unique value of a linked record: the person's company is the one with this domain
  Cells are read as the type of the field: numbers with a decimal point, or a comma with --decimal ,; dates as
  YYYY-MM-DD, or as 31.12.2026 with --dates dmy; phone numbers with a country code, or as in the country that --country
  or the workspace names; checkboxes as true, false, yes, no, 1 or 0. Items that contain the separator are in quotes,
  as cells are: "a;b"; c.
  Rich texts, locations, participants and json may be JSON, as the API returns them.
  An empty cell changes nothing: not a field, not a part of one, not an item of one that several columns fill.
  With --clear-empty it empties what it is mapped to; a field that several columns fill has just the items of its row.

Linked records:
  A row whose value finds no record is rejected, unless --create-missing is given: then the record is created, once for
  each value, with the value and with the other fields of it that are mapped, such as 'Company=company_id.name'. Records
  that exist stay as they are.
  --links imports links between records that exist, for relationships with many records at both ends. Its file has a
  column for each end; --map names them by the object and by the relationship, with a unique field or without (an id):
  --map 'Mail=person.email_addresses' --map 'Deal=deals.name'. A link that is there already stays.

Formats:
  CSV (UTF-8, UTF-16, Latin-1), NDJSON, XLSX (--sheet names a sheet), and vCards of persons, by the ending of the file
  or --format. Without --map, the members of lines of NDJSON are fields.

Files that Kontor wrote:
  What an export of a list has in its columns is imported as it was. Its texts that begin as formulas do, with = + - @
  or a tab, have an apostrophe before them; the import takes it off again.

Rejected rows:
  The others are imported. The rejected ones are written to a file of the same format, with the columns of the input,
  their line and the reason; fix it and import it with the same command. The first of them and a summary by reason are
  printed as well.

Twice:
  --match-on makes an import repeatable: rows whose record has the same values change nothing. A row without a value to
  match on is rejected. Without --match-on every import makes new records; one that was cut off is continued with
  --resume, within a week. The server imports the file: it continues without this command, and Ctrl-C cancels it.
${examples(
  ["kontor import company companies.csv --map 'Security=name' --map 'GICS Sector=industry'", 'two columns'],
  [
    "kontor import person people.csv --map 'First=name.first_name' --map 'Last=name.last_name' --map " +
      "'Mail=email_addresses' --match-on email_addresses",
    'make or update people, known by their e-mail address',
  ],
  [
    "kontor import company companies.csv --map 'Security=name' --map '{Symbol}.example.com=domains' --match-on domains",
    'a value to match on, made from a column that is unique',
  ],
  [
    "kontor import person people.csv --map 'Mail=email_addresses' --map 'Website=company_id.domains' --map " +
      "'Company=company_id.name' --create-missing",
    'link people to their companies, and create the companies that are missing',
  ],
  [
    "kontor import --links person.deals links.csv --map 'Mail=person.email_addresses' --map 'Deal=deals.name'",
    'link people to deals',
  ],
  ["kontor import deal deals.csv --map 'Name=name' --map 'Value=amount' --dry-run", 'only check'],
)}
Exit code: 0 when rows were imported, 1 for a failure or when all rows were rejected (with --strict: any row), 2 for a
wrong command line, 130 when interrupted.
`
