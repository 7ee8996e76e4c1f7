import { contract } from '@kontor/contract'
import { toOpenApi } from '@kontor/contract/openapi'
import { origin } from '../documents.ts'
import {
  parameterIn,
  responseIn,
  schemaIn,
  type OpenApi,
  type Parameter,
  type Response,
  type Schema,
} from '../openapi.ts'

export const serverUrl = `${origin}/v1`

// The generator's own types know of neither our extensions nor what it leaves out.
export const document = JSON.parse(JSON.stringify(toOpenApi(contract, { serverUrl, authUrl: origin }))) as OpenApi

export const schemaOf = (schema: Schema): Schema => schemaIn(document.components, schema)
export const parameterOf = (parameter: Parameter): Parameter => parameterIn(document.components, parameter)
export const responseOf = (response: Response): Response => responseIn(document.components, response)
