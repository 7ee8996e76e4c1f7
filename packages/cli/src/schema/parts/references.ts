import { users } from '@kontor/contract'
import { CommandFailed } from '../../errors.ts'
import type { Connected } from '../../connection.ts'
import { collected } from '../workspace.ts'
import { listsPart } from './lists.ts'
import type { Content } from './part.ts'
import { workflowsPart } from './workflows.ts'

/** References of files, in the place of ids, which differ between workspaces, and of secrets. */
const kinds = ['list', 'workflow', 'user', 'env'] as const
type Kind = (typeof kinds)[number]

/** `${list:person/Key people}`; `$${list:…}` is that text itself. */
const reference = /\$(\$?)\{(list|workflow|user|env):([^}]*)\}/g

const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const usersPage = 100

const written = (kind: Kind, name: string): string =>
  `\${${kind}:${name.replaceAll('%', '%25').replaceAll('}', '%7D')}}`

const nameIn = (text: string): string => text.replaceAll('%7D', '}').replaceAll('%25', '%')

/** The ids of a workspace, by the references to them: several where names occur more than once. */
export type Ids = ReadonlyMap<string, readonly string[]>

/** Reads the ids of lists, workflows and members of a workspace. */
export async function readIds(connected: Connected): Promise<Ids> {
  const { rest, workspace } = connected
  const lists = (await listsPart.list(connected)).map((one) => [written('list', one.name), one.id] as const)
  const workflows = (await workflowsPart.list(connected)).map((one) => [written('workflow', one.name), one.id] as const)
  const members = (await collected(rest.all(users.list, { workspace, page: { limit: usersPage } }))).map(
    (one) => [written('user', one.attributes.email), one.id] as const,
  )
  const found = Map.groupBy([...lists, ...workflows, ...members], ([name]) => name)
  return new Map([...found].map(([name, all]) => [name, all.map(([, one]) => one)]))
}

/** Changes each text in a content. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]))
}

/** Writes references in the place of ids, and of the values of variables. */
export function withReferences(content: Content, ids: Ids, secrets: ReadonlyMap<string, string>): Content {
  const names = new Map([...ids].flatMap(([name, all]) => all.map((one) => [one, name] as const)))
  return mapTexts(content, (text) => {
    const literal = text
      .replaceAll(reference, (found) => `$${found}`)
      .replaceAll(id, (found) => names.get(found) ?? found)
    return [...secrets].reduce((before, [value, name]) => before.replaceAll(value, written('env', name)), literal)
  }) as Content
}

const referencesIn = (text: string) =>
  [...text.matchAll(reference)].flatMap(([, escaped, kind, name = '']) => (escaped === '' ? [{ kind, name }] : []))

/** Returns whether a content names something by a name that its workspace has an id for. */
export const namesIds = (content: Content): boolean =>
  referencesIn(JSON.stringify(content)).some(({ kind }) => kind !== 'env')

/** The variables of the environment that a text of a file names. */
export const variablesIn = (text: string): string[] =>
  referencesIn(text).flatMap(({ kind, name }) => (kind === 'env' ? [nameIn(name)] : []))

type Resolution = {
  readonly path: string
  readonly ids: Ids
  /** References to what the files create; these stay as they are until then. */
  readonly awaited: ReadonlySet<string>
}

/** Writes ids and values in the place of references; throws `CommandFailed` for what does not exist. */
export const resolved = (content: Content, { path, ids, awaited }: Resolution): Content =>
  mapTexts(content, (text) =>
    text.replaceAll(reference, (found: string, escaped: string, kind: Kind, name: string) => {
      if (escaped !== '') return found.slice(1)
      if (kind === 'env') return valueOf(path, nameIn(name))
      const [one, other] = ids.get(found) ?? []
      const noun = kind === 'user' ? 'member' : kind
      if (other !== undefined)
        throw new CommandFailed(`${path}: the workspace has several of the ${noun} "${nameIn(name)}".`)
      if (one === undefined && !awaited.has(found))
        throw new CommandFailed(`${path}: the workspace has no ${noun} "${nameIn(name)}".`)
      return one ?? found
    }),
  ) as Content

/** The value of a variable that a file names, which no option of a command can name beforehand. */
export const variable = (name: string): string | undefined => process.env[name]

/** Writes the values of variables that are set in the place of references to them. */
export const withVariables = (content: Content): Content =>
  mapTexts(content, (text) =>
    text.replaceAll(reference, (found: string, escaped: string, kind: Kind, name: string) =>
      escaped === '' && kind === 'env' ? (variable(nameIn(name)) ?? found) : found,
    ),
  ) as Content

function valueOf(path: string, name: string): string {
  const value = variable(name)
  if (!value) throw new CommandFailed(`${path}: the environment variable ${name} is not set.`)
  return value
}

/** The reference to an item that files create; undefined for parts that nothing refers to. */
export const referenceTo = (part: string, name: string): string | undefined =>
  part === listsPart.name ? written('list', name) : part === workflowsPart.name ? written('workflow', name) : undefined
