const where = (condition: string): string => `SELECT * FROM person WHERE ${condition}`

const repeated = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / Buffer.byteLength(part)))
const full = 8000

/** SQL that is long, deep or repeated without end, and is refused. */
export const heavy: readonly (readonly [what: string, sql: string])[] = [
  ['a megabyte less than a body holds', where(`name = '${'x'.repeat(1_000_000)}'`)],
  ['8,193 bytes', where("name = 'x'").padEnd(8193)],
  ['brackets in brackets', where(`${'('.repeat(3900)}name = 'x'${')'.repeat(3900)}`)],
  ['NOT of NOT', where(`${repeated('NOT ', full)}name = 'x'`)],
  ['a sum without end', where(`${repeated('a+', full)}a = 1`)],
  ['signs', where(`name = ${repeated('- ', full)}1`)],
  ['indices', where(`name${repeated('[1]', full)} = 'x'`)],
  ['casts of casts', where(`name = 'x'${repeated('::text', full)}`)],
  ['calls in calls', where(`${repeated('upper(', full / 2)}name${')'.repeat(full / 12)} = 'X'`)],
  ['AND without end', where(repeated("name='x' AND ", full) + "name='x'")],
  ['OR without end', where(repeated("name='x' OR ", full) + "name='x'")],
  ['OR in brackets', where(`${repeated("(name='x' OR ", 4000)}name='x'${')'.repeat(307)}`)],
  ['joins without end', `SELECT * FROM person ${repeated('JOIN company ON person.company_id = company._id ', full)}`],
  ['subqueries in subqueries', repeated('SELECT * FROM (', full)],
  ['unions without end', `SELECT 1 ${repeated('UNION SELECT 1 ', full)}`],
  ['comments in comments', `${repeated('/*', full)} SELECT * FROM person`],
  ['quotes', `SELECT * FROM person WHERE name = ${"'".repeat(7001)}`],
  ['double quotes', `SELECT ${'"'.repeat(7001)} FROM person`],
  ['dollars', `SELECT ${'$'.repeat(7001)} FROM person`],
  ['semicolons', ';'.repeat(full)],
  ['columns without end', `SELECT ${repeated('name,', full)}name FROM person`],
  ['backslashes', where(`name LIKE '${'\\'.repeat(7001)}'`)],
  ['constants without end in a select list', `SELECT ${repeated('1,', full)}1 FROM person`],
  ['one long name', `SELECT * FROM ${'x'.repeat(full)}`],
  ['CASE in CASE', where(`${repeated('CASE WHEN ', 4000)}true`)],
  ['arrays in arrays', where(`name = ${repeated('ARRAY[', full)}`)],
]
