import type { ObjectDescription } from '../object-description.ts'
import { tagOf } from './tags.ts'
import { anyRecord, objectNames } from './workspace/components.ts'
import { isObject, mapValues, objectAt, pointersIn, type Json } from './workspace/json.ts'
import { addComponents, objectPaths, withObjectNames, type Workshop } from './workspace/paths.ts'
import { RelationshipSuffixes } from './workspace/suffixes.ts'

type Workspace = {
  readonly slug: string
  readonly objects: readonly ObjectDescription[]
  /** Names of the objects whose paths are shown, if not all; what they lead to is described all the same. */
  readonly narrowedTo?: readonly string[] | undefined
}

/** The chapters of the contract whose paths are each object's own. */
const chapters = ['records', 'resources', 'relationships'].map((domain) => tagOf(domain).title)

const ofObjects = (item: Json): boolean =>
  Object.values(item as Record<string, Json>).some(({ tags }) => chapters.includes((tags as string[])[0] ?? ''))

/**
 * The document of the contract with the objects of one workspace in it: the paths of records once for each object, with
 * its types in the place of those that fit any. Takes the document as it stands in JSON, and leaves it alone. One of
 * 200
 * objects takes seconds: `breathe` is waited for after each of them.
 */
export async function toWorkspaceOpenApi(
  document: Json,
  { slug, objects, narrowedTo }: Workspace,
  breathe: () => Promise<void>,
): Promise<Json> {
  const components = objectAt(document, 'components')
  const contract = objectAt(components, 'schemas')
  const paths = Object.entries(objectAt(document, 'paths') as Record<string, Json>)
  const generic = Object.fromEntries(paths.filter(([, item]) => ofObjects(item)))
  const workshop: Workshop = {
    objects: new Map(objects.map((object) => [object.name, object])),
    contract,
    schemas: {},
    shared: { parameters: {}, responses: {} },
    suffixes: new RelationshipSuffixes(),
  }
  const shown: Record<string, unknown> = Object.fromEntries(paths.filter(([, item]) => !ofObjects(item)))
  const pointers = new Set(pointersIn({ shown, webhooks: document['webhooks'] }))
  const chosen = objects.filter(({ name }) => narrowedTo?.includes(name) ?? true)
  for (const object of objects) {
    addComponents(workshop, object)
    await breathe()
  }
  for (const object of chosen) {
    const own = objectPaths(workshop, object, generic)
    for (const pointer of pointersIn(own)) pointers.add(pointer)
    Object.assign(shown, own)
    await breathe()
  }
  return {
    ...document,
    info: { ...objectAt(document, 'info'), title: `Kontor, the workspace ${slug}` },
    paths: shown,
    components: reachable(pointers, withOwn(components, workshop)),
    ...tagsOf(document, chosen),
  }
}

const withOwn = (components: Json, { objects, schemas, shared }: Workshop): Json => ({
  ...components,
  schemas: {
    ...objectAt(components, 'schemas'),
    ...schemas,
    ObjectName: objectNames([...objects.values()]),
    AnyRecord: anyRecord([...objects.values()]),
  },
  parameters: { ...withObjectNames(objectAt(components, 'parameters'), [...objects.keys()]), ...shared.parameters },
  responses: { ...objectAt(components, 'responses'), ...shared.responses },
})

/** The components to which these pointers lead, directly or through others; security schemes are named otherwise. */
function reachable(pointers: ReadonlySet<string>, components: Json): Json {
  const found = new Set(pointers)
  for (const pointer of found) {
    const [kind = '', name = ''] = pointer.split('/').slice(-2)
    for (const next of pointersIn(objectAt(components, kind)[name])) found.add(next)
  }
  return mapValues(components, (byName, kind) => {
    if (kind === 'securitySchemes' || !isObject(byName)) return byName
    return Object.fromEntries(Object.entries(byName).filter(([name]) => found.has(`#/components/${kind}/${name}`)))
  })
}

/** One tag for each object, called as the object is: display names may be given twice. */
function tagsOf(document: Json, objects: readonly ObjectDescription[]): Json {
  const kept = (document['tags'] as readonly { name: string }[]).filter(({ name }) => !chapters.includes(name))
  const groups = (document['x-tagGroups'] as readonly { name: string; tags: readonly string[] }[]).map(
    ({ name, tags }) => ({ name, tags: tags.filter((tag) => !chapters.includes(tag)) }),
  )
  const own = objects.map(({ name, label, description }) => ({
    name,
    description: [label.plural, description].filter(Boolean).join(': '),
  }))
  return {
    tags: [...own, ...kept],
    'x-tagGroups': [{ name: 'Objects', tags: objects.map(({ name }) => name) }, ...groups],
  }
}
