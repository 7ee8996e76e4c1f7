import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { bytesOf } from '../../../lib/bytes-of.ts'
import type { EntryContent } from '../../../lib/archive-writer.ts'
import { fileEntry, manifestName } from '../manifest.ts'
import { BundleFault } from './bundle-fault.ts'

/** Entries that a bundle may have: each takes some hundred bytes of memory. */
const entriesMax = 2_000_000

/** The names of entries: those of tables and of files. Nothing else is read, so that no name is ever a path. */
const entryName = /^(?:[a-z-]{1,60}\.ndjson|manifest\.json|files\/[0-9a-f-]{36})$/

/** An archive that is read in any order, and nothing of it before it is requested. */
export class ArchiveReader {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  static async open(path: string): Promise<ArchiveReader> {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(rethrown)
    try {
      return new ArchiveReader(zip, await entriesOf(zip))
    } catch (error) {
      zip.close()
      throw error
    }
  }

  close(): void {
    this.#zip.close()
  }

  get names(): Iterable<string> {
    return this.#entries.keys()
  }

  async manifest(bytesMax: number): Promise<string> {
    const entry = this.#entries.get(manifestName)
    if (entry === undefined) throw new BundleFault(`The file is not a bundle: ${manifestName} is missing.`)
    if (entry.uncompressedSize > bytesMax)
      throw new BundleFault(`${manifestName} has ${entry.uncompressedSize} bytes; ${bytesMax} are allowed.`)
    const chunks: Buffer[] = []
    for await (const chunk of await this.#streamOf(entry)) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  /** The bytes of an entry, which end with an error unless they are those of the manifest. */
  async *read(name: string, { bytes, sha256 }: EntryContent): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new BundleFault(`The bundle is not complete: ${name} is missing.`)
    if (entry.uncompressedSize !== bytes) throw differing(name)
    const digest = createHash('sha256')
    for await (const chunk of await this.#streamOf(entry)) {
      digest.update(chunk)
      yield chunk
    }
    if (digest.digest('hex') !== sha256) throw differing(name)
  }

  file(id: string, content: EntryContent): AsyncGenerator<Buffer> {
    return this.read(fileEntry(id), content)
  }

  async #streamOf(entry: Entry): Promise<AsyncIterable<Buffer>> {
    const stream: Readable = await this.#zip.openReadStreamPromise(entry).catch(rethrown)
    return faultsOf(stream)
  }
}

async function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > entriesMax) throw new BundleFault(`The bundle has more than ${entriesMax} entries.`)
  const entries = new Map<string, Entry>()
  let bytes = 0
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entryName.test(entry.fileName))
        throw new BundleFault(`${JSON.stringify(entry.fileName.slice(0, 100))} does not belong in a bundle.`)
      if (entries.has(entry.fileName)) throw new BundleFault(`${entry.fileName} is in the bundle twice.`)
      entries.set(entry.fileName, entry)
      bytes += entry.compressedSize
      // Else the same bytes could be unpacked again and again, as millions of files.
      if (bytes > zip.fileSize) throw new BundleFault('The entries of the bundle overlap.')
    }
  } catch (error) {
    return rethrown(error)
  }
  return entries
}

async function* faultsOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* bytesOf(stream)
  } catch (error) {
    rethrown(error)
  }
}

const differing = (name: string) =>
  new BundleFault(`${name} is damaged: its bytes are not those that were exported. Export the workspace again.`)

/** The faults of the archive itself, in one sentence. */
function rethrown(error: unknown): never {
  if (error instanceof BundleFault) throw error
  const reason = error instanceof Error ? error.message : String(error)
  throw new BundleFault(`The file cannot be read as a bundle: ${reason}.`, { cause: error })
}
