import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

const read = (file: string): Record<string, string>[] =>
  parse(readFileSync(new URL(`../data/${file}`, import.meta.url)), { columns: true, bom: true })

export type CommitteeRow = {
  readonly code: string
  readonly name: string
  readonly kind: string
  readonly website: string
  readonly jurisdiction: string
  readonly parent: string
}

export const committeeRows: readonly CommitteeRow[] = read('committees.csv').map((row) => ({
  code: row['Committee ID'] ?? '',
  name: row['Name'] ?? '',
  kind: row['Kind'] ?? '',
  website: row['Website'] ?? '',
  jurisdiction: row['Jurisdiction'] ?? '',
  parent: row['Parent committee ID'] ?? '',
}))

const seats = [...Map.groupBy(read('committee_members.csv'), (row) => row['Committee ID'] ?? '')]

/** By the code of a committee, the external ids of its members. */
export const memberIds: ReadonlyMap<string, readonly string[]> = new Map(
  seats.map(([code, rows]) => [code, rows.map((row) => row['Person external ID'] ?? '')]),
)

/** By the code of a committee, the external id of its chair, if it has one. */
export const chairs: ReadonlyMap<string, string> = new Map(
  seats.flatMap(([code, rows]) => {
    const chair = rows.find((row) => /^Chair(man|woman)?$/.test(row['Title'] ?? ''))?.['Person external ID']
    return chair === undefined ? [] : [[code, chair] as const]
  }),
)

/** By external id, last name and first name, and what the person is. */
export const peopleById: ReadonlyMap<
  string,
  { readonly first: string; readonly last: string; readonly title: string }
> = new Map(
  read('people.csv').map((row) => [
    row['External ID'] ?? '',
    { first: row['First name'] ?? '', last: row['Last name'] ?? '', title: row['Job title'] ?? '' },
  ]),
)
