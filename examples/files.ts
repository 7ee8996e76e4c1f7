import { kontorData } from './shell.ts'

export type Imported = { rows: number; created: number; updated: number; unchanged: number; rejected: number }

/**
 * Which column of companies.csv goes where. No company is known by its ticker, so a domain is made of it to match on.
 */
export const companyColumns = [
  ['Security', 'name'],
  ['{Symbol}.example.com', 'domains'],
  ['GICS Sector', 'industry'],
  ['GICS Sub-Industry', 'labels'],
  ['Headquarters Location', 'location'],
  ['Founded {Founded}, listed as {Symbol}', 'description'],
]

/** People have an external id and no e-mail address, so one is made of it to match on. */
export const peopleColumns = [
  ['First name', 'name.first_name'],
  ['Last name', 'name.last_name'],
  ['Full name', 'name.full_name'],
  ['{External ID}@example.com', 'email_addresses'],
  ['+1 {Phone}', 'phone_numbers'],
  ['Job title', 'job_title'],
  ['Party', 'labels'],
  ['State', 'labels'],
  ['Address', 'location'],
]

/** Imports a file of `data/` by the command line, as the workspace and key in the environment say. */
export const importFile = (object: string, file: string, columns: string[][], matchOn: string): Promise<Imported> =>
  kontorData<Imported>(
    'import',
    object,
    `examples/data/${file}`,
    ...columns.flatMap(([column, field]) => ['--map', `${column}=${field}`]),
    '--match-on',
    matchOn,
  )
