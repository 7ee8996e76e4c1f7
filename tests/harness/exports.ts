import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { restoreInto, verifyDatabase, type RestoreOptions } from '@kontor/server/admin'
import { fromBufferPromise } from 'yauzl'
import { buffer } from 'node:stream/consumers'
import type { TestApp } from './app.ts'
import { openAt } from './database.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'
import { scratchFolder } from './scratch.ts'
import { until } from './until.ts'

/** Exports data of a workspace, as clients do it: start the export, wait for it, download its file. */
export function exportsOf(
  { api, startJobs }: Pick<TestApp, 'api' | 'startJobs'>,
  as: Caller = 'admin',
  workspace = 'acme',
) {
  const path = `/workspaces/${workspace}/exports`
  const create = (body: Json) => api.post(path, { as, body })
  const get = (id: string) => api.get(`${path}/${id}`, { as })
  const download = async (id: string): Promise<Buffer> => {
    const { body } = await api.get(`${path}/${id}/download`, { as })
    return Buffer.from(await (await fetch(body.data.url)).arrayBuffer())
  }
  /** Waits for an export to end, and returns it. */
  const ended = async (id: string): Promise<Json> => {
    await startJobs()
    return until(async () => {
      const { attributes } = (await get(id)).body.data
      return attributes.ended_at !== null && attributes
    })
  }
  return {
    create,
    get,
    ended,
    download,
    /** Exports, and saves the file. */
    async save(body: Json): Promise<string> {
      const started = await create(body)
      if (started.status !== 202) throw new Error(`no export: ${JSON.stringify(started.body)}`)
      const { state, error, file_name: name } = await ended(started.body.data.id)
      if (state !== 'completed') throw new Error(`the export is ${state}: ${error}`)
      const file = join(await scratchFolder(), name)
      await writeFile(file, await download(started.body.data.id))
      return file
    },
  }
}

/** The entries of a zip archive, as texts. */
export async function entriesOf(archive: Buffer): Promise<Readonly<Record<string, string>>> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true })
  const entries: Record<string, string> = {}
  for await (const entry of zip.eachEntry())
    entries[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString()
  return entries
}

/** Restores a bundle into the database at a URL, and verifies what is there then. */
export async function restoreAt(
  url: string,
  path: string,
  options: RestoreOptions & { readonly folder?: string } = {},
) {
  const database = openAt(url)
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() }
  try {
    const { folder = await scratchFolder(), ...request } = options
    const files = { folder, bytesMax: 1024 * 1024 }
    const encryptionKeys = ['a key of at least thirty-two characters']
    const restored = await restoreInto({ database, clock, files, encryptionKeys }, path, request)
    const checks = await verifyDatabase({ database, clock }, { workspace: restored.slug })
    return { ...restored, folder, discrepancies: checks.filter(({ found }) => found > 0) }
  } finally {
    await database.close()
  }
}
