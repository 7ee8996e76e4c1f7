import { isMutation, pathParameters, type Endpoint } from '@kontor/contract'
import type { TestApp } from '../harness/app.ts'
import { authorizationOf, encodeQuery, type QueryText } from '../harness/api.ts'
import type { Answer, Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import type { Input } from './endpoints.ts'

export type CallOptions = {
  readonly as?: Caller
  readonly headers?: Readonly<Record<string, string>>
  /** Further parameters as they stand in a URL. */
  readonly query?: QueryText
}

/** The result of a call on a surface, in the words of REST. */
export type Outcome = { readonly status: number; readonly body: Json; readonly headers: Answer['headers'] }

export type Surface = (
  app: TestApp,
  name: string,
  endpoint: Endpoint,
  input: Input,
  options?: CallOptions,
) => Promise<Outcome>

/** The path of a call, below the base URL. */
export const pathOf = ({ path }: Endpoint, input: Input): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))

/** Brackets for nested values, commas for lists. */
function flatten(name: string, value: Json): [string, string][] {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return [[name, value.join(',')]]
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => flatten(`${name}[${key}]`, inner))
  return [[name, String(value)]]
}

export const rest: Surface = ({ api }, _name, endpoint, input, { as = 'admin', headers, query } = {}) => {
  const { body, ...flat } = input
  const params = new Set(pathParameters(endpoint.path))
  const spelled = Object.entries(flat).flatMap(([name, value]) => (params.has(name) ? [] : flatten(name, value)))
  const all: QueryText = { ...Object.fromEntries(spelled), ...query }
  return api.send(endpoint.method, pathOf(endpoint, input), {
    as,
    query: all,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
}

const sentHeaders = (app: TestApp, { as = 'admin', headers = {} }: CallOptions): Record<string, string> => {
  const authorization = authorizationOf(as, app.credentials)
  return { ...(authorization !== undefined && { Authorization: authorization }), ...headers }
}

/** tRPC answers 200 for every success; the status of REST is not told. */
export const trpc: Surface = async (app, name, endpoint, input, options = {}) => {
  const url = `${app.origin}/trpc/${name}`
  const headers = sentHeaders(app, options)
  const answer = isMutation(endpoint)
    ? await app.http.send({
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(input),
      })
    : await app.http.send({ method: 'GET', url: `${url}?${encodeQuery({ input: JSON.stringify(input) })}`, headers })
  if (answer.body?.error === undefined) return { ...answer, body: answer.body?.result?.data }
  return { ...answer, status: answer.body.error.data.httpStatus, body: answer.body.error.data.body }
}

/** trpc-to-openapi adds `message` and `code` to an error body. */
export const actions: Surface = async (app, name, _endpoint, input, options = {}) => {
  const headers = { 'Content-Type': 'application/json', ...sentHeaders(app, options) }
  const answer = await app.http.send({
    method: 'POST',
    url: `${app.origin}/actions/${name}`,
    headers,
    body: JSON.stringify(input),
  })
  return answer.body?.errors === undefined ? answer : { ...answer, body: { errors: answer.body.errors } }
}

export const surfaces: Readonly<Record<string, Surface>> = { rest, trpc, actions }
