import { createReadStream, createWriteStream } from 'node:fs'
import { link, mkdir, open, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure, failure } from '../../kernel/errors.ts'
import { newSecret } from '../../kernel/ids.ts'
import { isString, memberOf } from '../../lib/guards.ts'
import type { FileLinks } from './links.ts'
import { headersOf } from './media-type.ts'
import { headBytes, type FileId, type FilePart, type FileStorage, type Form, type Kept, type Shown } from './storage.ts'

/** Only the user of the server may read what people have entrusted to it. */
const fileMode = 0o600
const folderMode = 0o700

/** The bounds of the size of an upload. */
type Bounds = { readonly bytesMin: number; readonly bytesMax: number }

/** The names of files within the folder of one upload. */
const uploaded = 'upload'
const kept = 'file'

/**
 * A folder of this machine, with one folder for each file: what arrives has a name of its own there until it is whole,
 * so that half an upload is never taken for one.
 */
export class LocalFolder implements FileStorage {
  readonly bytesMax: number
  readonly #folder: string
  readonly #links: FileLinks

  constructor(folder: string, bytesMax: number, links: FileLinks) {
    this.#folder = folder
    this.bytesMax = bytesMax
    this.#links = links
  }

  async uploadUrl(file: FileId, bytes?: number): Promise<string> {
    return this.#links.sign({ act: 'put', ...file, bytesMax: bytes ?? this.bytesMax, bytesMin: bytes ?? 0 })
  }

  async uploadForm(file: FileId, contentType: string): Promise<Form> {
    const url = this.#links.sign({ act: 'post', ...file, bytesMax: this.bytesMax, bytesMin: 0 })
    return { url, fields: { 'Content-Type': contentType } }
  }

  async downloadUrl(file: FileId, shown: Shown): Promise<string> {
    return this.#links.sign({ act: 'get', ...file, ...headersOf(shown) })
  }

  /** Takes the bytes of an upload; leaves nothing of one that breaks off or is too large. */
  async receive(file: FileId, bytes: Readable, bounds: Bounds, signal?: AbortSignal): Promise<void> {
    const folder = this.#folderOf(file)
    await this.#refuseKept(file)
    const part = join(folder, `part-${newSecret(9)}`)
    try {
      await makeFolder(folder)
      await pipeline(bytes, within(bounds), createWriteStream(part, { flags: 'wx', mode: fileMode, flush: true }), {
        ...(signal !== undefined && { signal }),
      })
      await this.#refuseKept(file)
      await rename(part, join(folder, uploaded))
      await syncFolder(folder)
    } catch (error) {
      await rm(part, { force: true })
      // It stays where another upload has left something.
      await rmdir(folder).catch(() => undefined)
      throw arrivalFailure(error)
    }
  }

  async keep(file: FileId): Promise<Kept | 'missing' | 'too large'> {
    const folder = this.#folderOf(file)
    const found = await this.#headOf(file)
    if (found !== undefined) return found
    try {
      // Unlike a rename, a link does not replace what another call has kept meanwhile.
      await link(join(folder, uploaded), join(folder, kept))
      await syncFolder(folder)
    } catch (error) {
      if (memberOf(error, 'code') !== 'EEXIST' && memberOf(error, 'code') !== 'ENOENT') throw arrivalFailure(error)
    }
    await rm(join(folder, uploaded), { force: true })
    return (await this.#headOf(file)) ?? 'missing'
  }

  async put(file: FileId, bytes: Uint8Array): Promise<void> {
    const folder = this.#folderOf(file)
    await makeFolder(folder)
    const part = join(folder, `part-${newSecret(9)}`)
    await writeFile(part, bytes, { mode: fileMode, flush: true })
    await rename(part, join(folder, kept))
    await syncFolder(folder)
  }

  async write(file: FileId, bytes: Readable): Promise<number> {
    const folder = this.#folderOf(file)
    await makeFolder(folder)
    const part = join(folder, `part-${newSecret(9)}`)
    const output = createWriteStream(part, { flags: 'wx', mode: fileMode, flush: true })
    try {
      await pipeline(bytes, output)
      await rename(part, join(folder, kept))
      await syncFolder(folder)
    } catch (error) {
      await rm(part, { force: true })
      throw arrivalFailure(error)
    }
    return output.bytesWritten
  }

  async read(file: FileId, part?: FilePart): Promise<Readable> {
    const range = part && { start: part.from, end: part.from + part.bytes - 1 }
    return createReadStream(join(this.#folder, this.pathOf(file)), range)
  }

  async find(file: FileId): Promise<Readable | undefined> {
    try {
      return (await open(join(this.#folder, this.pathOf(file)))).createReadStream()
    } catch (error) {
      if (memberOf(error, 'code') === 'ENOENT') return undefined
      throw error
    }
  }

  async remove(file: FileId): Promise<void> {
    await rm(this.#folderOf(file), { recursive: true, force: true })
  }

  get folder(): string {
    return this.#folder
  }

  /** Where a file is within the folder. */
  pathOf({ workspaceId, id }: FileId): string {
    return join(workspaceId, id, kept)
  }

  #folderOf({ workspaceId, id }: FileId): string {
    return join(this.#folder, workspaceId, id)
  }

  async #refuseKept(file: FileId): Promise<void> {
    if ((await sizeOf(join(this.#folderOf(file), kept))) !== undefined)
      throw failure('upload_ended', 'This upload has already been attached and cannot be changed.')
  }

  async #headOf(file: FileId): Promise<Kept | undefined> {
    const path = join(this.#folderOf(file), kept)
    const bytes = await sizeOf(path)
    if (bytes === undefined) return undefined
    await using handle = await open(path)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(headBytes) })
    return { bytes, head: buffer.subarray(0, bytesRead) }
  }
}

/** Makes a folder, and those above it that are missing, so that they outlast a loss of power. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: folderMode })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Has the names in a folder written to the disk: a rename or a link is lost with the power until then. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder)
  await handle.sync()
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return undefined
    throw error
  }
}

/** Lets so many bytes through. */
function within({ bytesMin, bytesMax }: Bounds): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bytesMax) done(tooLarge(bytesMax))
      else done(null, chunk)
    },
    flush(done) {
      done(bytes < bytesMin ? tooSmall(bytesMin) : null)
    },
  })
}

const tooSmall = (bytesMin: number) =>
  failure('invalid_body', `The upload was requested with ${bytesMin} bytes: send exactly that many.`)

const tooLarge = (bytesMax: number) =>
  failure('payload_too_large', `A file can have at most ${bytesMax} bytes.`, { meta: { limit_bytes: bytesMax } })

const brokenOff = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ABORT_ERR']

/** Returns the failure of an upload; one that a disconnected sender causes is not our fault. */
function arrivalFailure(error: unknown): unknown {
  const code = memberOf(error, 'code')
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Failure(
      { code: 'unavailable', detail: 'The disk for files is full, and nothing was changed.' },
      // As after a full disk of the database.
      { cause: error, retryAfterSeconds: 5 },
    )
  if (isString(code) && brokenOff.includes(code)) return failure('invalid_body', 'The file did not arrive completely.')
  return error
}
