import { imports, schemas, type CallInput, type ImportPreview, type ImportResource } from '@kontor/contract'
import { writable } from '@kontor/contract/cells'
import { isKontorError, KontorError, type RestClient } from '@kontor/client'
import { CommandFailed, UsageError } from '../errors.ts'
import { persist, type Persistence } from './persist.ts'

/** An import, and how far it is. */
export type ImportState = ImportResource['attributes']

export type ImportRequest = CallInput<typeof imports.create>['body']

/** The server that imports, and how long it is waited for. */
export class Destination {
  readonly rest: RestClient
  readonly workspace: string
  readonly persistence: Persistence

  constructor(rest: RestClient, workspace: string, persistence: Persistence) {
    this.rest = rest
    this.workspace = workspace
    this.persistence = persistence
  }

  async get(id: string): Promise<ImportState> {
    return (await this.persist(() => this.rest.call(imports.get, { workspace: this.workspace, id }))).body.data
      .attributes
  }

  /** Shows how the server reads an upload, without the options of a real import. */
  async preview(request: ImportRequest): Promise<ImportPreview> {
    const { workspace } = this
    const { dry_run: _dry, ...body } = request
    return (await this.persist(() => this.rest.call(imports.preview, { workspace, body }))).body.data
  }

  /** Lists the fields of an object that an import can fill; none if the key may not read schemas. */
  async fieldsOf(object: string): Promise<string[]> {
    const { workspace } = this
    try {
      return writable((await this.rest.call(schemas.get, { workspace, object })).body.data.attributes)
    } catch (error) {
      if (isKontorError(error, 'insufficient_scope')) return []
      throw error
    }
  }

  /** Starts an import; a request that is repeated starts no second one. */
  async create(body: ImportRequest): Promise<ImportState> {
    const options = { idempotencyKey: `import-${body.upload_id}` }
    const { workspace } = this
    return (await this.persist(() => this.rest.call(imports.create, { workspace, body }, options))).body.data.attributes
  }

  /** Has the server go on with an import that was cut off; one that goes on anyway, or is complete, stays as it is. */
  async resume(id: string): Promise<ImportState> {
    const { workspace } = this
    return (await this.persist(() => this.rest.call(imports.resume, { workspace, id }))).body.data.attributes
  }

  /** Cancels an import, even after the person has interrupted the command. */
  async cancel(id: string): Promise<ImportState> {
    return (await this.rest.call(imports.cancel, { workspace: this.workspace, id })).body.data.attributes
  }

  /** Does a request that is safe to repeat, again while the server is away or busy. */
  async persist<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await persist(attempt, this.persistence)
    } catch (error) {
      throw error instanceof KontorError ? forPeople(error) : error
    }
  }
}

/** A mapping or a file that does not fit is what the person has written. */
function forPeople(error: KontorError): Error {
  const { detail = '', source, code } = error.errors[0] ?? {}
  if (code !== 'invalid_body') return error
  if (source?.pointer === '/mapping') return new UsageError(detail, { cause: error })
  return source?.pointer === '/upload_id' ? new CommandFailed(detail, { cause: error }) : error
}
