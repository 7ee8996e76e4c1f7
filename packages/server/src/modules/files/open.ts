import type { FileLinks } from './links.ts'
import { LocalFolder } from './local-folder.ts'
import { S3Storage, type S3Settings } from './s3.ts'
import type { FileStorage } from './storage.ts'

/** Where the bytes of files are kept, and how many a file may have. */
export type FileSettings = {
  readonly bytesMax: number
  readonly folder: string
  /** A bucket instead of the folder. */
  readonly s3?: S3Settings | undefined
}

export const openStorage = ({ bytesMax, folder, s3 }: FileSettings, links: FileLinks): FileStorage =>
  s3 === undefined ? new LocalFolder(folder, bytesMax, links) : new S3Storage(s3, bytesMax)
