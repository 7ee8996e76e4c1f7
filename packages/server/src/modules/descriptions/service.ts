import { createHash } from 'node:crypto'
import { nextTurn } from '../../lib/portions.ts'
import { LRUCache } from 'lru-cache'
import { contract, suggestion, type Output, type schemas } from '@kontor/contract'
import type { Answer, WorkspaceReadContext } from '../../kernel/implement.ts'
import type { PublicAddresses } from '../../lib/public-addresses.ts'
import { listObjects } from '../objects/index.ts'
import { describeObject } from './describe-object.ts'

type Document = Output<typeof schemas.describe>
type Described = Answer<Document> & { readonly version: number; readonly characters: number }
type Context = WorkspaceReadContext<'unknown_value'>
/** Whose document it is, and the names of the objects that it is narrowed to, in the order of the alphabet. */
type DescriptionRequest = { readonly ctx: Context; readonly names: readonly string[] | undefined }
type Kept = LRUCache<string, Described, DescriptionRequest>

/** Total text of the cached documents; as values they take some four times as much. */
const keptCharacters = 16 * 1024 ** 2

/**
 * Describes workspaces as OpenAPI. A document depends only on the epoch of the schemas, so it is made once for each
 * epoch. Its version is a hash of its text, since a new server may describe the same schemas differently.
 */
export function workspaceDescriber({
  baseUrl,
  authUrl,
}: PublicAddresses): (ctx: Context, narrowedTo: readonly string[] | undefined) => Promise<Answer<Document>> {
  let base: Document | undefined
  const describe = async ({ ctx, names }: DescriptionRequest): Promise<Described> => {
    const objects = [...(await listObjects(ctx)).values()]
      .map(describeObject)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    // The generator of documents is large and rarely used.
    const { toOpenApi, toWorkspaceOpenApi } = await import('@kontor/contract/openapi')
    base ??= JSON.parse(JSON.stringify(toOpenApi(contract, { serverUrl: baseUrl, authUrl }))) as Document
    const body = (await toWorkspaceOpenApi(
      base,
      { slug: ctx.workspace.slug, objects, narrowedTo: names },
      nextTurn,
    )) as Document
    const text = JSON.stringify(body)
    return { body, version: versionOf(text), characters: text.length }
  }
  const kept: Kept = new LRUCache({
    maxSize: keptCharacters,
    sizeCalculation: ({ characters }) => characters,
    fetchMethod: (_key, _stale, { context }) => describe(context),
  })
  // Requests that come while a document is being made wait for it; a document that is too large to cache is made for
  // each.
  return async (ctx, narrowedTo) => {
    if (narrowedTo !== undefined) await refuseUnknown(ctx, narrowedTo)
    const asked = { ctx, names: narrowedTo && [...new Set(narrowedTo)].toSorted() }
    const key = [ctx.workspace.workspaceId, ctx.workspace.schemaEpoch, ...(asked.names ?? [])].join(':')
    return (await kept.fetch(key, { context: asked })) ?? describe(asked)
  }
}

async function refuseUnknown(ctx: Context, names: readonly string[]): Promise<void> {
  const allowed = [...(await listObjects(ctx)).keys()].toSorted()
  const unknown = names.find((name) => !allowed.includes(name))
  if (unknown === undefined) return
  throw ctx.fail('unknown_value', {
    detail: `There is no object "${unknown.slice(0, 64)}" in this workspace.${suggestion(unknown, allowed)}`,
    source: { parameter: 'objects' },
    meta: { allowed },
  })
}

/** 48 bits of a digest: as many as a number holds exactly, and a Kontor version is numeric. */
const versionOf = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, 6)
