declare module 'prismjs/components/prism-core' {
  const Prism: {
    languages: Record<string, any>;
    tokenize(text: string, grammar: any): unknown[];
  };
  export default Prism;
}
declare module 'prismjs/components/*';
declare module '*.ptx' { const text: string; export default text; }
declare module '*.cu' { const text: string; export default text; }
