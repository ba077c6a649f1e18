/** Settings of vite that the build and the development server share. */
export const settings = {
  root: import.meta.dirname,
  configFile: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};
