/** Of whose files it is. */
export type Place = { id: string; alias: string };

export function within(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
