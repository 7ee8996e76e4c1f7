/** The result of one check: `warn` is worth knowing, `fail` must be mended. */
export type Check = { readonly name: string; readonly status: 'ok' | 'warn' | 'fail'; readonly detail: string }
export type Finding = Omit<Check, 'name'>

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
export const warn = (detail: string): Finding => ({ status: 'warn', detail })
export const fail = (detail: string): Finding => ({ status: 'fail', detail })

export type ApiOptions = { readonly baseUrl?: string; readonly apiKey?: string; readonly workspace?: string }

/** Set for `--deep`: also verify the stored data, of one workspace or of all. */
export type DeepOptions = { readonly repair: boolean }
