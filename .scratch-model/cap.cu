#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
struct P{unsigned off[32];unsigned mask;};
__device__ unsigned sink[64];
__global__ void k(const __grid_constant__ P p,int op,int bytes,char*g){
 __shared__ __align__(1024) char s[16384+64];
 unsigned lane=threadIdx.x; unsigned o=p.off[lane];
 unsigned a=(unsigned)__cvta_generic_to_shared(s)+o; char*ga=g+o;
 unsigned x=0,y=0,z=0,w=0;
 if(op==4){asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];":"=r"(x):"r"(a):"memory");}
 else if(op==5){asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];":"=r"(x),"=r"(y):"r"(a):"memory");}
 else if(op==6){asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];":"=r"(x),"=r"(y),"=r"(z),"=r"(w):"r"(a):"memory");}
 else if(op==7){asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};"::"r"(a),"r"(lane):"memory");}
 else if(op==8){asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0],{%1,%1};"::"r"(a),"r"(lane):"memory");}
 else if(op==9){asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%1,%1,%1};"::"r"(a),"r"(lane):"memory");}
 else if(p.mask>>lane&1){
  if(op==0){ if(bytes==1)asm volatile("ld.volatile.shared.u8 %0,[%1];":"=r"(x):"r"(a));
   else if(bytes==2){asm volatile("{.reg .u16 t; ld.volatile.shared.u16 t,[%1]; cvt.u32.u16 %0,t;}":"=r"(x):"r"(a));}
   else if(bytes==4)asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(x):"r"(a));
   else if(bytes==8)asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];":"=r"(x),"=r"(y):"r"(a));
   else asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];":"=r"(x),"=r"(y),"=r"(z),"=r"(w):"r"(a));}
  if(op==1){ if(bytes==1)asm volatile("st.volatile.shared.u8 [%0],%1;"::"r"(a),"r"(lane));
   else if(bytes==2)asm volatile("{.reg .u16 t; cvt.u16.u32 t,%1; st.volatile.shared.u16 [%0],t;}"::"r"(a),"r"(lane));
   else if(bytes==4)asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(a),"r"(lane));
   else if(bytes==8)asm volatile("st.volatile.shared.v2.u32 [%0],{%1,%1};"::"r"(a),"r"(lane));
   else asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%1,%1,%1};"::"r"(a),"r"(lane));}
  if(op==2){ if(bytes==1)asm volatile("ld.volatile.global.u8 %0,[%1];":"=r"(x):"l"(ga));
   else if(bytes==2){asm volatile("{.reg .u16 t; ld.volatile.global.u16 t,[%1]; cvt.u32.u16 %0,t;}":"=r"(x):"l"(ga));}
   else if(bytes==4)asm volatile("ld.volatile.global.u32 %0,[%1];":"=r"(x):"l"(ga));
   else if(bytes==8)asm volatile("ld.volatile.global.v2.u32 {%0,%1},[%2];":"=r"(x),"=r"(y):"l"(ga));
   else asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3},[%4];":"=r"(x),"=r"(y),"=r"(z),"=r"(w):"l"(ga));}
  if(op==3){ if(bytes==1)asm volatile("st.volatile.global.u8 [%0],%1;"::"l"(ga),"r"(lane));
   else if(bytes==2)asm volatile("{.reg .u16 t; cvt.u16.u32 t,%1; st.volatile.global.u16 [%0],t;}"::"l"(ga),"r"(lane));
   else if(bytes==4)asm volatile("st.volatile.global.u32 [%0],%1;"::"l"(ga),"r"(lane));
   else if(bytes==8)asm volatile("st.volatile.global.v2.u32 [%0],{%1,%1};"::"l"(ga),"r"(lane));
   else asm volatile("st.volatile.global.v4.u32 [%0],{%1,%1,%1,%1};"::"l"(ga),"r"(lane));}
 }
 if((x^y^z^w)==0x12345u) sink[lane]=x;
}
int main(int c,char**v){ std::ifstream f(v[1]); std::string line; std::getline(f,line); char*g; cudaMalloc(&g,1<<20); cudaMemset(g,0,1<<20);
 const char*ops[]={"ld.shared","st.shared","ld.global","st.global","ldmatrix.x1","ldmatrix.x2","ldmatrix.x4","stmatrix.x1","stmatrix.x2","stmatrix.x4"};
 while(std::getline(f,line)){ std::stringstream s(line); std::string id,acc,b,pat,m,offs; std::getline(s,id,',');std::getline(s,acc,',');std::getline(s,b,',');std::getline(s,pat,',');std::getline(s,m,',');std::getline(s,offs,',');
  P p; p.mask=strtoul(m.c_str(),0,16); std::stringstream o(offs); for(int i=0;i<32;++i)o>>p.off[i]; int op=-1; for(int i=0;i<10;++i) if(acc==ops[i])op=i; k<<<1,32>>>(p,op,atoi(b.c_str()),g);
 } auto e=cudaDeviceSynchronize(); printf("%s\n",cudaGetErrorString(e)); return e!=0;}
