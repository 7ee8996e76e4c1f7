import { Readable } from 'node:stream'
import type * as S3 from '@aws-sdk/client-s3'
import type * as Presigner from '@aws-sdk/s3-request-presigner'
import type * as Posts from '@aws-sdk/s3-presigned-post'
import { Failure } from '../../kernel/errors.ts'
import { bytesOf } from '../../lib/bytes-of.ts'
import { memberOf } from '../../lib/guards.ts'
import { once } from '../../lib/promises.ts'
import { headersOf } from './media-type.ts'
import {
  headBytes,
  urlMs,
  type FileId,
  type FilePart,
  type FileStorage,
  type Form,
  type Kept,
  type Shown,
} from './storage.ts'

export type S3Settings = {
  readonly bucket: string
  readonly region: string
  /** Of a service that speaks S3 and is not Amazon's; it finds buckets by path. */
  readonly endpoint: string | undefined
  /** Without them the SDK looks where it always does: environment, profile, role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

const expiresIn = urlMs / 1000

/**
 * A bucket: clients send bytes to it and fetch them from it by themselves. What is kept is a copy under another key, so
 * that a holder of the URL of the upload cannot change it.
 */
export class S3Storage implements FileStorage {
  readonly bytesMax: number
  readonly #bucket: string
  readonly #open: () => Promise<Parts>

  constructor(settings: S3Settings, bytesMax: number) {
    this.bytesMax = bytesMax
    this.#bucket = settings.bucket
    // The SDK is large: only a server with a bucket loads it.
    this.#open = once(() => load(settings))
  }

  async uploadUrl(file: FileId, bytes?: number): Promise<string> {
    const { client, sdk, presigner } = await this.#open()
    // A length is signed: the bucket refuses a request with another.
    const length = bytes === undefined ? {} : { ContentLength: bytes }
    const command = new sdk.PutObjectCommand({ Bucket: this.#bucket, Key: uploadKey(file), ...length })
    return asked(() => presigner.getSignedUrl(client, command, { expiresIn }))
  }

  async uploadForm(file: FileId, contentType: string): Promise<Form> {
    const { client, posts } = await this.#open()
    return asked(() =>
      posts.createPresignedPost(client, {
        Bucket: this.#bucket,
        Key: uploadKey(file),
        Conditions: [
          ['content-length-range', 0, this.bytesMax],
          ['eq', '$Content-Type', contentType],
        ],
        Fields: { 'Content-Type': contentType },
        Expires: expiresIn,
      }),
    )
  }

  async keep(file: FileId): Promise<Kept | 'missing' | 'too large'> {
    const { client, sdk } = await this.#open()
    const Bucket = this.#bucket
    return asked(async () => {
      if ((await this.#sizeOf(keptKey(file))) === undefined) {
        const Key = uploadKey(file)
        const found = await existing(client.send(new sdk.HeadObjectCommand({ Bucket, Key })))
        if (found === undefined) return 'missing'
        if ((found.ContentLength ?? 0) > this.bytesMax) return 'too large'
        const from = { CopySource: `${Bucket}/${Key}`, CopySourceIfMatch: found.ETag }
        await client.send(new sdk.CopyObjectCommand({ Bucket, Key: keptKey(file), ...from, ...withoutMetadata }))
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }))
      }
      return this.#headOf(file)
    })
  }

  async put(file: FileId, bytes: Uint8Array): Promise<void> {
    const { client, sdk } = await this.#open()
    await asked(() => client.send(new sdk.PutObjectCommand({ Bucket: this.#bucket, Key: keptKey(file), Body: bytes })))
  }

  async write(file: FileId, bytes: Readable): Promise<number> {
    const { client, sdk } = await this.#open()
    const place = { Bucket: this.#bucket, Key: keptKey(file) }
    const { UploadId } = await asked(() => client.send(new sdk.CreateMultipartUploadCommand(place)))
    const upload = { ...place, UploadId }
    try {
      const parts: S3.CompletedPart[] = []
      let total = 0
      for await (const Body of partsOf(bytes)) {
        const PartNumber = parts.length + 1
        const sent = await asked(() => client.send(new sdk.UploadPartCommand({ ...upload, PartNumber, Body })))
        parts.push({ PartNumber, ETag: sent.ETag })
        total += Body.length
      }
      await asked(() =>
        client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } })),
      )
      return total
    } catch (error) {
      await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined)
      throw error
    }
  }

  async downloadUrl(file: FileId, shown: Shown): Promise<string> {
    const { client, sdk, presigner } = await this.#open()
    const { contentType, disposition } = headersOf(shown)
    const command = new sdk.GetObjectCommand({
      Bucket: this.#bucket,
      Key: keptKey(file),
      ResponseContentType: contentType,
      ResponseContentDisposition: disposition,
    })
    return asked(() => presigner.getSignedUrl(client, command, { expiresIn }))
  }

  async read(file: FileId, part?: FilePart): Promise<Readable> {
    const { client, sdk } = await this.#open()
    const range = part && { Range: `bytes=${part.from}-${part.from + part.bytes - 1}` }
    const { Body } = await asked(() =>
      client.send(new sdk.GetObjectCommand({ Bucket: this.#bucket, Key: keptKey(file), ...range })),
    )
    if (!(Body instanceof Readable)) throw new Error('The file storage returned no body')
    return Body
  }

  async find(file: FileId): Promise<Readable | undefined> {
    return (await this.#sizeOf(keptKey(file))) === undefined ? undefined : this.read(file)
  }

  async remove(file: FileId): Promise<void> {
    const { client, sdk } = await this.#open()
    for (const Key of [uploadKey(file), keptKey(file)])
      await client.send(new sdk.DeleteObjectCommand({ Bucket: this.#bucket, Key }))
  }

  async #sizeOf(Key: string): Promise<number | undefined> {
    const { client, sdk } = await this.#open()
    const found = await existing(client.send(new sdk.HeadObjectCommand({ Bucket: this.#bucket, Key })))
    return found?.ContentLength
  }

  async #headOf(file: FileId): Promise<Kept> {
    const { client, sdk } = await this.#open()
    const bytes = (await this.#sizeOf(keptKey(file))) ?? 0
    // An empty file has no range.
    if (bytes === 0) return { bytes, head: new Uint8Array() }
    const Range = `bytes=0-${headBytes - 1}`
    const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: this.#bucket, Key: keptKey(file), Range }))
    return { bytes, head: Body instanceof Readable ? await beginningOf(Body) : new Uint8Array() }
  }
}

/** Reads the first bytes: a service that knows no ranges sends the whole file, which may be larger than the heap. */
async function beginningOf(body: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of bytesOf(body)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= headBytes) break
  }
  return Buffer.concat(chunks).subarray(0, headBytes)
}

/** An uploader may send headers that the bucket stores and repeats, such as `Cache-Control`: they are not kept. */
const withoutMetadata = { MetadataDirective: 'REPLACE', ContentType: 'application/octet-stream' } as const

/** Bytes of one part of an upload: of 10,000 parts, the most that S3 accepts, a file may have 160 GB. */
const partBytes = 16 * 2 ** 20

/** Bytes in parts of one size, the last one smaller; one part at least. */
async function* partsOf(bytes: Readable): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let length = 0
  let count = 0
  for await (const chunk of bytesOf(bytes)) {
    chunks.push(chunk)
    length += chunk.length
    if (length < partBytes) continue
    yield Buffer.concat(chunks)
    count++
    chunks = []
    length = 0
  }
  if (length > 0 || count === 0) yield Buffer.concat(chunks)
}

const uploadKey = ({ workspaceId, id }: FileId): string => `uploads/${workspaceId}/${id}`
const keptKey = ({ workspaceId, id }: FileId): string => `files/${workspaceId}/${id}`

type Parts = {
  readonly client: S3.S3Client
  readonly sdk: typeof S3
  readonly presigner: typeof Presigner
  readonly posts: typeof Posts
}

async function load({ region, endpoint, credentials }: S3Settings): Promise<Parts> {
  const [sdk, presigner, posts] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
    import('@aws-sdk/s3-presigned-post'),
  ])
  const client = new sdk.S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials !== undefined && { credentials }),
    // A storage that hangs holds nobody longer, and no job of another workspace.
    requestHandler: { connectionTimeout: answerMsMax, requestTimeout: answerMsMax, throwOnRequestTimeout: true },
    maxAttempts: 2,
    // Checksums in signed URLs would bind them to bytes that are not known yet; many services know none.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return { client, sdk, presigner, posts }
}

/** Longest wait for the storage to begin an answer, as for receivers of webhooks. */
const answerMsMax = 15_000

const statusOf = (error: unknown): unknown => memberOf(memberOf(error, '$metadata'), 'httpStatusCode')

/** The answer, or undefined for what is not there. */
const existing = async <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined
    throw error
  })

const retryAfterSeconds = 5

/**
 * A storage that does not answer, or refuses us, is away: its callers may come again. So is one whose credentials
 * cannot be read: signing requires them too.
 */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new Failure(
      { code: 'unavailable', detail: 'The file storage does not respond; try again.' },
      { cause: error, retryAfterSeconds },
    )
  }
}
