import type { CallInput, Endpoint, Output } from '@kontor/contract'

/**
 * The method and path of an operation of the API. Only the compiler knows its input and output: a browser loads neither
 * the schemas of the contract nor the library that they are made with.
 */
export type Operation<E extends Endpoint> = {
  readonly method: E['method']
  readonly path: E['path']
  /** A POST that only reads. */
  readonly safe?: true
  /** Names the endpoint in types; absent at run time. */
  readonly endpoint?: E
}

export type OperationsOf<D extends Readonly<Record<string, Endpoint>>> = {
  readonly [K in keyof D]: Operation<D[K]> & (D[K] extends { readonly safe: true } ? { readonly safe: true } : unknown)
}

/** The input of a call: path and query parameters flat, the body under `body`. */
export type InputOf<O> = O extends Operation<infer E> ? CallInput<E> : never

/** The response of an operation. */
export type OutputOf<O> = O extends Operation<infer E> ? Output<E> : never
