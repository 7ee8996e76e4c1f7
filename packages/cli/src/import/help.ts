import { examples } from '../help.ts'

/** The part of `kontor import --help` below its options. */
export const importHelp = `
Mapping:
  Without --map the command proposes a mapping by the names of the columns, and imports nothing.
  --map 'Column=field'             a column fills a field
  --map 'Column=field.part'        a column fills a part of a field: name.first_name, location.city
  --map '{First} {Last}=field'     a text made of several columns; absent if one of them is empty
  --map 'A=phone_numbers' --map 'B=phone_numbers'
                                   several columns fill a field with several items
  --map 'Column=company_id'        the column contains the id of a linked record
  --map 'Column=company_id.domains'
                                   the column contains a unique value of a linked record: here the company's domain
  Cells are read by the type of the field:
    numbers       with a decimal point, or with a comma if --decimal is ,
    dates         as YYYY-MM-DD, or as 31.12.2026 if --dates is dmy
    phone numbers with a country code, or without one as in the country of --country or of the workspace
    checkboxes    as true, false, yes, no, 1 or 0
    users         as the ids that "kontor user list" shows
    JSON          for rich texts, locations, participants and json, as the API returns them
  An item that contains the separator is in quotes: "a;b"; c.
  An empty cell changes nothing: no field, no part of a field, and no item of a field that several columns fill. With
  --clear-empty it clears its field or part; a field that several columns fill then has only the items of the row.

Linked records:
  A row whose value finds no record is rejected. With --create-missing the record is created instead, once for each
  value. Other columns can fill its other fields: 'Company=company_id.name'. Records that exist stay unchanged.
  --links imports links between records that exist, for relationships with many records at both ends. The file has a
  column for each end. --map names one end by the object and the other by the relationship, each with a unique field, or
  without one if the column contains ids: --map 'Mail=person.email_addresses' --map 'Deal=deals.name'. Links that exist
  stay unchanged.

Formats:
  CSV (UTF-8, UTF-16, Latin-1), NDJSON, XLSX (--sheet names a sheet) and vCard. The ending of the file selects the
  format, or --format does. Without --map, the members of each line of NDJSON are fields.

Files that Kontor exported:
  An exported list is imported with the same values. In exported files, an apostrophe precedes texts that begin like
  formulas, with = + - @ or a tab; the import removes it.

Rejected rows:
  All other rows are imported. The rejected rows are written to a file of the same format, with the columns of the
  input, the line and the reason: fix that file and import it with the same command. The command also prints the first
  rejected rows, and the number of rows for each reason.

Repeating an import:
  --match-on makes an import repeatable: rows whose record already has the same values change nothing. A row without a
  value in that field is rejected. Without --match-on every import creates new records. The server imports the file: the
  import continues if this command ends, and Ctrl-C cancels it. --resume continues an interrupted import, within a week.
  To undo an import: kontor call imports.revert id=ID, with the id that the command prints.
${examples(
  ["kontor import company companies.csv --map 'Security=name' --map 'GICS Sector=industry'", 'two columns'],
  [
    "kontor import person people.csv --map 'First=name.first_name' --map 'Last=name.last_name' --map " +
      "'Mail=email_addresses' --match-on email_addresses",
    'create people, or update those with the same e-mail address',
  ],
  [
    "kontor import company companies.csv --map 'Security=name' --map '{Symbol}.example.com=domains' --match-on domains",
    'match on a unique value that is made from a column',
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
