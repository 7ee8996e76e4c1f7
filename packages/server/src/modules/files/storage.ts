import type { Readable } from 'node:stream'

/** A file, by the place of its bytes. */
export type FileId = { readonly workspaceId: string; readonly id: string }

/** Bytes that have been taken over, and the beginning of them, by which their type is told. */
export type Kept = { readonly bytes: number; readonly head: Uint8Array }

/** Some bytes of a file; fewer where it ends before. */
export type FilePart = { readonly from: number; readonly bytes: number }

/** The name and type of a download. */
export type Shown = { readonly name: string; readonly mimeType: string | null }

/** Where a form with a file is sent to, and the fields that go before the file. */
export type Form = { readonly url: string; readonly fields: Readonly<Record<string, string>> }

/** The time for which a signed URL is valid. */
export const urlMs = 3_600_000

/** As many bytes as it takes to tell the type of a file. */
export const headBytes = 4100

/**
 * Where the bytes of files are. A client sends them to a signed URL, which it may do again until they are kept: from
 * then on they stay as they are.
 */
export interface FileStorage {
  /** Bytes that a file may have. */
  readonly bytesMax: number
  /** A URL that takes the bytes by PUT; exactly so many, where that is known. */
  uploadUrl(file: FileId, bytes?: number): Promise<string>
  /** A form that takes the bytes by POST. */
  uploadForm(file: FileId, contentType: string): Promise<Form>
  /** Takes over what has been uploaded; again changes nothing. */
  keep(file: FileId): Promise<Kept | 'missing' | 'too large'>
  /** Keeps bytes that the server itself has. */
  put(file: FileId, bytes: Uint8Array): Promise<void>
  /** Keeps bytes as they arrive, however many; replaces what was kept. Resolves with their number. */
  write(file: FileId, bytes: Readable): Promise<number>
  /** A URL that gives its holder the bytes. */
  downloadUrl(file: FileId, shown: Shown): Promise<string>
  /** The bytes of a file that is kept, or some of them; a part begins within the file. */
  read(file: FileId, part?: FilePart): Promise<Readable>
  /** The bytes of a file, or undefined where they are gone. */
  find(file: FileId): Promise<Readable | undefined>
  /** Removes the bytes, and what an upload has left behind. */
  remove(file: FileId): Promise<void>
}
