import { Api, type CrmRecord, type ErrorCode } from './generated/class.ts'

// Compiled, and not run: the client has enums, which Node does not take from TypeScript as it stands.

const { workspaces } = new Api<string>({
  securityWorker: (key) => ({ headers: { Authorization: `api-key ${key}` } }),
})

/** It writes an object as one text, so conditions stand beside the other parameters. */
const conditions: object = { 'filter[job_title][Contains]': 'a & b' }

export async function use() {
  const query = { 'page[limit]': 10, 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC' as const, ...conditions }
  const { data, error } = await workspaces.resourcesList('acme', 'person', query)
  const record: CrmRecord | undefined = data.data[0]
  const next: string | null = data.links.next
  const code: ErrorCode | undefined = error.errors[0]?.code
  await workspaces.recordsRemoveMany('acme', 'person', { items: ['p1'] }, { silent: true })
  // @ts-expect-error a direction is ASC or DESC
  await workspaces.resourcesList('acme', 'person', { 'sortOrder[dir]': 'UP' })
  // @ts-expect-error a limit is a number
  await workspaces.resourcesList('acme', 'person', { 'page[limit]': '10' })
  // @ts-expect-error a name is a string
  await workspaces.workspacesUpdate('acme', { data: { type: 'workspace', attributes: { name: 1 } } })
  return { record, next, code }
}
