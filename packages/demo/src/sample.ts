import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Attributes } from './stage.ts'

/** The records that the demo is made from. */
export type Sample = {
  readonly companies: readonly Attributes[]
  readonly people: readonly Attributes[]
  readonly committees: readonly Attributes[]
}

type Row = Readonly<Record<string, string>>

/** The server runs from the repository's layout, so that the demo and the examples share one copy of the files. */
const folder = new URL('../../../examples/data/', import.meta.url)

const read = async (name: string): Promise<Row[]> =>
  parse(await readFile(new URL(`${name}.csv`, folder)), { columns: true, bom: true })

/** The non-empty texts. */
const filled = (attributes: Readonly<Record<string, string | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''))

/** Reads the files of the examples; the README beside them says where they come from. */
export async function readSample(): Promise<Sample> {
  const [companies, people, committees] = await Promise.all([read('companies'), read('people'), read('committees')])
  return { companies: companies.map(company), people: people.map(person), committees: committees.map(committee) }
}

const company = (row: Row): Attributes => ({
  ...filled({
    name: row['Security'],
    industry: row['GICS Sector'],
    location: row['Headquarters Location'],
    description: `${row['GICS Sub-Industry']}; founded ${row['Founded']}.`,
  }),
  domains: { items: [`${row['Symbol']?.toLowerCase()}.example.com`] },
})

const person = (row: Row): Attributes => ({
  ...filled({ job_title: row['Job title'], location: row['State'], description: row['Address'] }),
  name: { first_name: row['First name'], last_name: row['Last name'] },
  email_addresses: { items: [`${row['External ID']?.toLowerCase()}@example.com`] },
  phone_numbers: { items: row['Phone'] ? [`+1 ${row['Phone']}`] : [] },
  labels: { items: row['Party'] ? [row['Party']] : [] },
})

const committee = (row: Row): Attributes =>
  filled({ name: row['Name'], website: row['Website'], jurisdiction: row['Jurisdiction'] })
