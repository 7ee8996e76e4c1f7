/** A row of the one table of persons: ten fields, the name in its three parts. */
export type PersonRow = {
  readonly id: string
  readonly first_name: string
  readonly last_name: string
  readonly full_name: string
  readonly email: string
  readonly phone: string
  readonly job_title: string
  readonly company_id: string
  readonly linkedin: string
  readonly location: string
  readonly description: string
  readonly avatar_url: string
  readonly score: number
  readonly created_at: Date
  readonly updated_at: Date
}

export type CompanyRow = {
  readonly id: string
  readonly name: string
  readonly domain: string
  readonly industry: string
  readonly location: string
  readonly created_at: Date
  readonly updated_at: Date
}

export const personColumns = [
  'id',
  'first_name',
  'last_name',
  'full_name',
  'email',
  'phone',
  'job_title',
  'company_id',
  'linkedin',
  'location',
  'description',
  'avatar_url',
  'score',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof PersonRow)[]

export const companyColumns = [
  'id',
  'name',
  'domain',
  'industry',
  'location',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof CompanyRow)[]

/** Which persons: all, those of a job title, or those whose name has a part. */
export type Where = { readonly jobTitle: string } | { readonly nameHas: string } | undefined

type Page = { readonly rows: readonly PersonRow[]; readonly total: number }

/** The database of the plain server: one implementation each, with the statements that one writes by hand. */
export type PlainStore = {
  readonly get: (id: string) => Promise<PersonRow | undefined>
  readonly getWithCompany: (id: string) => Promise<readonly [PersonRow, CompanyRow] | undefined>
  /** In the order of creation, with the exact total. */
  readonly list: (where: Where, limit: number, offset: number) => Promise<Page>
  readonly update: (id: string, changes: Partial<PersonRow>) => Promise<PersonRow | undefined>
  /** In one transaction; fails where a company does not exist or an e-mail address is taken. */
  readonly create: (rows: readonly PersonRow[]) => Promise<void>
  readonly createCompanies: (rows: readonly CompanyRow[]) => Promise<void>
  readonly close: () => Promise<void>
}

/** The columns that a row has and a table knows, for a statement that sets them. */
export const columnsOf = (changes: Partial<PersonRow>): (keyof PersonRow)[] =>
  personColumns.filter((column) => column in changes)

/** Columns of a company beside those of a person. */
export const companyAliases = companyColumns.map((column) => `c.${column} as company_${column}`).join(', ')

/** Takes the two apart again; the person has a `company_id` of its own, which is the same. */
export function apart(row: PersonRow & Readonly<Record<string, unknown>>): readonly [PersonRow, CompanyRow] {
  const company = Object.fromEntries(companyColumns.map((column) => [column, row[`company_${column}`]]))
  return [row, company as CompanyRow]
}

/** A pattern that finds a part anywhere in a text, escaped by a backslash. */
export const like = (part: string): string => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
