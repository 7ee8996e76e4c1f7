import type { Seeded } from './seed.ts'

/** Page one of the persons, as 50 records; `query` comes before the page, as it does in links. */
export const resourcesOf = ({ workspace }: Pick<Seeded, 'workspace'>, query = ''): string =>
  `/v1/workspaces/${workspace}/objects/person/resources?${query === '' ? '' : `${query}&`}page%5Blimit%5D=50`

/** Values from all over a list. */
export const spread = <T>(values: readonly T[], length: number): T[] =>
  Array.from({ length }, (_, index) => values[(index * 7919) % values.length] as T)
