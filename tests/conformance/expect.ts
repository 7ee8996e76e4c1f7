import { errorBody, errorCodesOf, errorDefinitions, type Endpoint, type ErrorCode } from '@kontor/contract'
import { expect } from 'vitest'
import type { Outcome } from './surfaces.ts'

/** An error of this code, in the one shape, with its status, by an endpoint that declares it. */
export function expectError(endpoint: Endpoint, { status, body, headers }: Outcome, code: ErrorCode): void {
  expect(body?.errors?.[0]?.code ?? body, JSON.stringify(body)).toBe(code)
  expect(errorCodesOf(endpoint), 'is declared').toContain(code)
  expect(status).toBe(errorDefinitions[code].status)
  expect(errorBody.strict().parse(body)).toEqual(body)
  for (const error of body.errors)
    expect(error).toMatchObject({
      id: headers['x-request-id'],
      status: String(status),
      title: errorDefinitions[error.code as ErrorCode].title,
    })
}

/** The endpoint's success, exactly as it declares it. */
export function expectSuccess(endpoint: Endpoint, { status, body }: Outcome): void {
  expect(status, JSON.stringify(body)).toBe(endpoint.status ?? 200)
  expect(endpoint.response.parse(body)).toEqual(body)
}

/** The success of a dry run: that of the real call, or the other one where the real call answers with no body. */
export function expectRehearsal(endpoint: Endpoint, outcome: Outcome): void {
  if (endpoint.status !== 204) return expectSuccess(endpoint, outcome)
  expect(outcome.status, JSON.stringify(outcome.body)).toBe(endpoint.alternativeStatus?.status)
  expect(endpoint.alternativeStatus?.response?.parse(outcome.body)).toEqual(outcome.body)
}
