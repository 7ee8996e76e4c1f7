import { resources, schemas, type ObjectSchemaDocument, type SchemaPlan } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import { documentOf, type ObjectFile } from './object-file.ts'
import { listDocuments } from './workspace.ts'

type ServerPlan = Pick<SchemaPlan['attributes'], 'changes' | 'lost' | 'violations' | 'breaks'>

/** The changes that applying the file of an object would make. */
export type ObjectPlan = ServerPlan & { readonly object: string; readonly action: 'create' | 'change' | 'delete' }

/** The changes that applying the files of objects would make. `kept` have no file and stay. */
export type ObjectsPlan = { readonly objects: readonly ObjectPlan[]; readonly kept: readonly string[] }

/** The treatment of what has no file: true deletes it. */
export type Pruning = { readonly prune?: true | undefined }

/** Objects that every workspace has, and that cannot be deleted. */
const isOwn = ({ title }: ObjectSchemaDocument): boolean => title.startsWith('c_')

/** Compares the objects of a folder with a workspace; the server says what each change would lose and break. */
export async function planObjects(
  connected: Connected,
  files: readonly ObjectFile[],
  { prune }: Pruning,
): Promise<ObjectsPlan> {
  const documents = await listDocuments(connected)
  const missing = new Set(files.map(({ title }) => title).filter((title) => !isIn(documents, title)))
  const objects: ObjectPlan[] = []
  for (const file of files) {
    const plan = await planOf(connected, adapted(files, file, documents) ?? toCome(file), missing)
    if (plan !== undefined) objects.push(plan)
  }
  const without = documents.filter((document) => isOwn(document) && !isIn(files, document.title))
  const deleted = prune ? await Promise.all(without.map(({ title }) => deletionOf(connected, title))) : []
  return { objects: [...objects, ...deleted], kept: prune ? [] : without.map(({ title }) => title) }
}

const isIn = (all: readonly { readonly title: string }[], wanted: string): boolean =>
  all.some(({ title }) => title === wanted)

const nothing = { changes: [], lost: [], violations: [], breaks: { lists: [], workflows: [] } }

async function deletionOf({ rest, workspace }: Connected, object: string): Promise<ObjectPlan> {
  const { body } = await rest.call(resources.stats, { workspace, object })
  const lost = [{ field: object, reason: 'The object is deleted.', count: body.data.attributes.count }]
  return { ...nothing, object, action: 'delete', lost }
}

/** A file as it applies to a workspace, and the document that is there. */
export type Adapted = { readonly file: ObjectFile; readonly $id: string }

/** Adapts a file to a workspace; undefined if that has no such object. */
export function adapted(
  files: readonly ObjectFile[],
  file: ObjectFile,
  documents: readonly ObjectSchemaDocument[],
): Adapted | undefined {
  const document = documents.find(({ title }) => title === file.title)
  return document && { file: forWorkspace(files, file, document), $id: document.$id }
}

/** An object that its workspace does not have yet. */
const toCome = (file: ObjectFile): Adapted => {
  if (!file.title.startsWith('c_'))
    throw new CommandFailed(`${file.title}: the name of an object of your own begins with c_.`)
  return { file, $id: `/schemas/entities/${file.title}` }
}

/**
 * Plans the creation or the change of one object, relationships to objects to come included; undefined where nothing
 * differs.
 */
async function planOf(
  { rest, workspace }: Connected,
  { file, $id }: Adapted,
  missing: ReadonlySet<string>,
): Promise<ObjectPlan | undefined> {
  const object = file.title
  const { possible, later } = withoutRelationshipsTo(missing, file)
  const { body } = await rest.call(schemas.plan, { workspace, object, body: documentOf(possible, $id) })
  const { changes, lost, violations, breaks } = body.data.attributes
  const added = later.map(([name, val]) => ({ op: 'add' as const, path: [object, name], val, oldVal: null }))
  const all = [...changes, ...added]
  if (all.length === 0) return undefined
  return { object, action: missing.has(object) ? 'create' : 'change', changes: all, lost, violations, breaks }
}

type Property = ObjectFile['properties'][string]

/** A file without its relationships to some objects, and these. */
export function withoutRelationshipsTo(
  objects: ReadonlySet<string>,
  file: ObjectFile,
): { readonly possible: ObjectFile; readonly later: readonly (readonly [string, Property])[] } {
  const isLater = ([, { xSvcRelationship: to }]: readonly [string, Property]): boolean =>
    to !== undefined && objects.has(to.entity)
  const entries = Object.entries(file.properties)
  return {
    possible: { ...file, properties: Object.fromEntries(entries.filter((entry) => !isLater(entry))) },
    later: entries.filter(isLater),
  }
}

/**
 * Returns the schema that a file requires of its object in this workspace: without completed renamings, which can stay
 * for other workspaces, and with the other ends of relationships that only the file of the other object has.
 */
function forWorkspace(
  files: readonly ObjectFile[],
  file: ObjectFile,
  { properties: current }: ObjectSchemaDocument,
): ObjectFile {
  const properties: Record<string, Property> = {}
  for (const [name, property] of Object.entries(file.properties)) {
    const { xSvcPrevName: before, ...rest } = property
    properties[name] = before !== undefined && name in current && !(before in current) ? rest : property
  }
  const ends = endsAt(files, file.title)
  for (const [name, property] of Object.entries(current)) if (ends.has(name)) properties[name] ??= property
  return { ...file, properties }
}

/** The fields of an object to which relationships of other files lead. */
const endsAt = (files: readonly ObjectFile[], object: string): ReadonlySet<string | undefined> =>
  new Set(
    files
      .flatMap(({ properties }) => Object.values(properties))
      .flatMap(({ xSvcRelationship: to }) => (to?.entity === object ? [to.field] : [])),
  )
