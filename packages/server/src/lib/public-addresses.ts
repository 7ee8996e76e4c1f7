/** Where people and programs find this server. */
export type PublicAddresses = { readonly baseUrl: string; readonly authUrl: string }
